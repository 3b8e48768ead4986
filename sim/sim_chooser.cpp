// SPDX-License-Identifier: ISC
#include "sim_chooser.hpp"

#include "base/assert.hpp"

namespace xtc::sim {

const xtc_seam_chooser_t SimChooser::table = {
    .size = sizeof(xtc_seam_chooser_t),
    .choose = [](void* self, uint32_t n) { return static_cast<SimChooser*>(self)->choose(n); },
    .note = [](void* self, xtc_note_kind_t kind, uint64_t a,
               uint64_t b) { static_cast<SimChooser*>(self)->note(kind, a, b); },
};

uint32_t SimChooser::choose(uint32_t n) {
    XTC_ASSERT(n >= 2);
    switch (knobs_.order) {
    case Order::random:
        return static_cast<uint32_t>(streams_[Stream::sched].below(n));
    case Order::fifo:
        return 0;
    case Order::lifo:
    case Order::pessimal:
        return n - 1;
    }
    XTC_UNREACHABLE();
}

uint64_t SimChooser::name_of(uint64_t slot) {
    return names_.emplace(slot, names_.size()).first->second;
}

// What differs between two runs of a seed stays out of the trace: slots depend on the other loops of the
// process, generations on the loops it had before, and what a fiber returns may be an address.
void SimChooser::note(xtc_note_kind_t kind, uint64_t a, uint64_t b) {
    switch (kind) {
    case XTC_NOTE_SPAWN:
    case XTC_NOTE_EXIT:
        trace_.note(timeline_.now(), loop_, kind, name_of(a), 0);
        break;
    case XTC_NOTE_RUN:
    case XTC_NOTE_WAKE:
        trace_.note(timeline_.now(), loop_, kind, name_of(a), b);
        break;
    default:
        trace_.note(timeline_.now(), loop_, kind, a, b);
    }
}

} // namespace xtc::sim
