// SPDX-License-Identifier: ISC
//
// The one door to the clock. A thread may stand in another clock (a loop in simulation does so on entry to a
// turn and restores on exit); everything in the library that asks for the time, or blocks a thread for some
// time, comes through here.
#pragma once

#include <cstdint>

namespace xtc {

struct Clock {
    int64_t (*mono)(void* self);
    int64_t (*real)(void* self);
    int (*sleep)(void* self, int64_t ns); // returns an XTC_* status
    void* self;
};

int64_t clock_mono() noexcept; // nanoseconds since some start, never goes back
int64_t clock_real() noexcept; // nanoseconds since 1970
int64_t kernel_mono() noexcept; // the real one, whatever stands in: for the drivers that sleep in the kernel
int sleep_thread(int64_t ns) noexcept;

// `clock` must outlive its use; nullptr is the real one. Returns what was set before, to be restored.
const Clock* set_thread_clock(const Clock* clock) noexcept;

} // namespace xtc
