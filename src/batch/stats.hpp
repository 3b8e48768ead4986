// SPDX-License-Identifier: ISC
//
// A group's totals, the owner loop's. They stop at UINT64_MAX instead of wrapping.
#pragma once

#include "batch/member.hpp"

#include <atomic>
#include <cstdint>

namespace xtc {

inline void add_saturating(uint64_t& total, uint64_t n) {
    if (__builtin_add_overflow(total, n, &total)) total = UINT64_MAX;
}

inline void add_saturating(std::atomic<uint64_t>& total, uint64_t n) {
    uint64_t seen = total.load(std::memory_order_relaxed);
    uint64_t sum;
    do sum = seen > UINT64_MAX - n ? UINT64_MAX : seen + n;
    while (sum != seen && !total.compare_exchange_weak(seen, sum, std::memory_order_relaxed));
}

struct GroupStats {
    uint64_t iterations = 0;
    uint64_t total_members = 0;
    uint64_t max_vector = 0;
    uint64_t completed = 0;
    uint64_t cancelled = 0;
    uint64_t failed = 0;
    uint64_t rejections = 0;
    uint64_t offloads = 0;
    uint64_t offload_timeouts = 0;
    uint64_t offload_errors = 0;

    void count_vector(uint64_t length) {
        add_saturating(iterations, 1);
        add_saturating(total_members, length);
        if (length > max_vector) max_vector = length;
    }
    void count_ending(Ending ending) {
        switch (ending) {
        case Ending::completed:
            return add_saturating(completed, 1);
        case Ending::cancelled:
            return add_saturating(cancelled, 1);
        case Ending::failed:
            return add_saturating(failed, 1);
        }
    }
};

} // namespace xtc
