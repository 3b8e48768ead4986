// SPDX-License-Identifier: ISC
//
// POLICY: who may become active. Pure: no clock, no loop, no state; the same queue and room always give the
// same answer. Changing the policy is changing this file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xtc {

struct Room {
    size_t slots;   // active ones left
    uint64_t units; // left of the resource
};

// How many, counted from the head of the queue, may enter now. Strict order of arrival: the first that does
// not fit ends it, whatever comes behind. [first, last) yields the charges in order of arrival.
template <typename Charges, typename End> size_t admit_from_head(Charges first, End last, Room room) {
    size_t admitted = 0;
    for (; first != last && admitted < room.slots; ++first, ++admitted) {
        const uint64_t charge = *first;
        if (charge > room.units) break;
        room.units -= charge;
    }
    return admitted;
}

} // namespace xtc
