// SPDX-License-Identifier: ISC
#pragma once

#include "base/atomic.hpp"

#include <cstdint>

namespace xtc {

// The group's one sequence of handles, for all threads. Never wraps: the last number is given once, then
// none.
class Handles {
public:
    // 0: used up.
    uint64_t take() {
        uint64_t last = last_.load(std::memory_order_relaxed);
        do
            if (last == UINT64_MAX) return 0;
        while (!last_.compare_exchange_weak(last, last + 1, std::memory_order_relaxed));
        return last + 1;
    }
    bool was_issued(uint64_t handle) const {
        return handle != 0 && handle <= last_.load(std::memory_order_relaxed);
    }
    bool used_up() const { return last_.load(std::memory_order_relaxed) == UINT64_MAX; }
    void start_after(uint64_t last) { last_.store(last, std::memory_order_relaxed); } // before the first take

private:
    atomic<uint64_t> last_{0};
};

} // namespace xtc
