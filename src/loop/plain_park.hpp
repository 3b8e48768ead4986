// SPDX-License-Identifier: ISC
// A plain task that waits for a descriptor or a time: it has no stack to wait on, so the operation has a home
// of its own.
#pragma once

#include <cstdint>

#include "loop/task.hpp"

namespace xtc {

int park_on_timer(Task& task, int64_t delay_ns);
int park_on_fd(Task& task, int fd, uint32_t interest);
void detach_park_op(Task& task); // the task goes on without it

} // namespace xtc
