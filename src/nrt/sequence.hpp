// SPDX-License-Identifier: ISC
// The 64-bit name of a request: core in [63:56], queue in [55:52], kind of unit in [51:48], number in [47:0].
// Numbers of one unit begin with 1 and are consecutive; 0 is "nothing done yet".
#pragma once

#include <nrt/nrt_async.h>

#include <cstdint>
#include <optional>

namespace xtc::nrt {

struct UnitId {
    uint32_t core = 0; // as this process counts them
    nrta_xu_t type = NRTA_XU_TENSOR_OP;
    uint32_t queue = 0;
    friend bool operator==(const UnitId&, const UnitId&) = default;
};

constexpr uint32_t queues_of(nrta_xu_t type) noexcept {
    switch (type) {
    case NRTA_XU_TENSOR_OP:
        return 2;
    case NRTA_XU_COMPUTE:
        return 1;
    case NRTA_XU_COLLECTIVES:
        return 3;
    case NRTA_XU_TYPE_NUM:
        break;
    }
    return 0;
}

constexpr nrta_seq_t sequence(UnitId unit, uint64_t number) noexcept {
    return uint64_t{unit.core} << 56 | uint64_t{unit.queue} << 52 | static_cast<uint64_t>(unit.type) << 48 |
           number;
}

constexpr uint64_t number_of(nrta_seq_t seq) noexcept {
    return seq & NRTA_SEQ_NUM_MAX;
}

// Nothing when no unit has that name.
constexpr std::optional<UnitId> unit_of(nrta_seq_t seq) noexcept {
    const auto type = static_cast<uint32_t>(seq >> 48 & 0xF);
    const auto queue = static_cast<uint32_t>(seq >> 52 & 0xF);
    if (type >= NRTA_XU_TYPE_NUM || queue >= queues_of(static_cast<nrta_xu_t>(type))) return std::nullopt;
    return UnitId{static_cast<uint32_t>(seq >> 56), static_cast<nrta_xu_t>(type), queue};
}

} // namespace xtc::nrt
