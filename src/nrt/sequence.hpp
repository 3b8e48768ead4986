// SPDX-License-Identifier: ISC
// Numbers of requests: which unit's queue, and the how-many-eth there.
#pragma once

#include <nrt/nrt_async.h>

#include <cstdint>

namespace xtc::nrt {

// lnc in [63:56], queue in [55:52], unit type in [51:48], counter in [47:0].
class Sequence {
public:
    static constexpr int kCounterBits = 48;
    static constexpr uint64_t kMostCounter = (uint64_t{1} << kCounterBits) - 1;

    constexpr Sequence(uint32_t lnc, nrta_xu_t type, uint32_t queue, uint64_t counter) noexcept
        : value_((uint64_t{lnc & 0xff} << 56) | (uint64_t{queue & 0xf} << 52) |
                 (static_cast<uint64_t>(type) << kCounterBits) | (counter & kMostCounter)) {}
    explicit constexpr Sequence(uint64_t value) noexcept : value_(value) {}

    constexpr uint64_t value() const noexcept { return value_; }
    constexpr uint32_t lnc() const noexcept { return static_cast<uint32_t>(value_ >> 56); }
    constexpr uint32_t queue() const noexcept { return static_cast<uint32_t>(value_ >> 52) & 0xf; }
    constexpr uint32_t type() const noexcept { return static_cast<uint32_t>(value_ >> kCounterBits) & 0xf; }
    constexpr uint64_t counter() const noexcept { return value_ & kMostCounter; }

private:
    uint64_t value_;
};

} // namespace xtc::nrt
