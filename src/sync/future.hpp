// SPDX-License-Identifier: ISC
// One value, one writer, one reader. The two public halves are the same cell seen from either side.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "loop/wake_cell.hpp"

namespace xtc {

class FutureCell {
public:
    void set(intptr_t value, int status); // uses up the promise
    bool is_ready() const { return cell_.has_permit(); }
    bool is_abandoned() const { return abandoned_.load(std::memory_order_acquire); }
    WakeCell& cell() { return cell_; } // a permit once the value is there

    // XTC_OK when the value was taken: *out, *status are written and the future is used up.
    void take(intptr_t* out, int* status);
    void discard();

private:
    void drop() {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    WakeCell cell_;
    intptr_t value_ = 0;
    int status_ = 0;
    atomic<bool> abandoned_{false};
    atomic<int> refs_{2};
};

} // namespace xtc
