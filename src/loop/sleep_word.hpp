// SPDX-License-Identifier: ISC
// Whether a loop sleeps, as those see it who leave it work or want it to look around. One of the two sees the
// other: the loop says that it is about to sleep and then looks once more for work; whoever leaves work looks
// at this word afterwards. All of that is sequentially consistent.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace xtc {

class SleepWord {
public:
    // Any thread, after it left something to find: is the driver to be woken, by this caller? One caller for
    // each sleep.
    bool take() noexcept {
        uint32_t sleeping = is_sleeping;
        return word_.load(std::memory_order_seq_cst) == is_sleeping &&
               word_.compare_exchange_strong(sleeping, is_awake, std::memory_order_seq_cst);
    }

    // Any thread, after it changed what the loop looks at between its turns: this sleep ends, or the next
    // does not begin. As take().
    bool ask() noexcept {
        asked_.store(true, std::memory_order_seq_cst);
        return take();
    }

    // --- the loop
    void announce() noexcept { word_.store(is_sleeping, std::memory_order_seq_cst); }
    // False: `has_work`, which must read sequentially consistently, found some; do not sleep.
    template <typename HasWork> bool announce_unless(HasWork has_work) noexcept {
        announce();
        if (!has_work() && !asked_.load(std::memory_order_seq_cst)) return true;
        end();
        return false;
    }
    void end() noexcept { word_.store(is_awake, std::memory_order_relaxed); }
    // It will look around now. Only what was read is taken back, so that whoever asked is seen with what it
    // changed; a plain store could wipe out a question that the look around, made before the store is out,
    // does not know of.
    void take_asked() noexcept {
        if (asked_.load(std::memory_order_relaxed)) asked_.exchange(false, std::memory_order_acquire);
    }

private:
    static constexpr uint32_t is_awake = 0, is_sleeping = 1;
    atomic<uint32_t> word_{is_awake};
    atomic<bool> asked_{false};
};

} // namespace xtc
