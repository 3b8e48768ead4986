// SPDX-License-Identifier: ISC
// Fibers that wait for descriptors: an operation of the driver, the wait primitive, a deadline.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loop/task.hpp"
#include "loop/wait.hpp"
#include "loop/wake_cell.hpp"
#include "seam/driver.h"

namespace xtc {

// XTC_IO_* bits to poll(2) bits; false: none, or unknown ones.
bool poll_bits(uint32_t interest, uint32_t* events);
uint32_t interest_bits(uint32_t poll_events);
int status_of_errno(int err);
// Of a poll for POLLIN on a fence, with its result (L20, B20): only readable without an error is a signal.
int status_of_fence(int64_t res);

enum class IoEnd : uint8_t { done, timeout, killed, other };

struct IoWait {
    OnKill on_kill = OnKill::unwind;
    bool tries_first = true;  // false where a result at once is unlikely: arming notices it as well
    bool mail_ends = false;   // mail or a nudge ends the wait: IoEnd::other
    WakeCell* also = nullptr; // a permit in here ends it: IoEnd::other; the permit stays
    uint8_t claims = 0;       // fd_claims sides that nobody else may hold: -EBUSY
};

// Runs op to its end on the calling fiber. Whatever ends the wait, op is not in flight afterwards; when it
// was done all the same, IoEnd::done is the answer. With IoEnd::done op.res holds the result.
IoEnd run_op(Task& self, xtc_op_t& op, int64_t deadline, const IoWait& how = {});

// Ends all waits for fd, on whatever loop, with -ECONNABORTED, then closes it. The loops that wait close it.
void close_everywhere(int fd);

// The wait of xtc_accel_wait_fence: XTC_OK, XTC_E_INVAL or another negative code with IoEnd::done.
IoEnd wait_readable(Task& self, int fd, int64_t deadline, const IoWait& how, int* status);

} // namespace xtc
