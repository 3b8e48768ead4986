// SPDX-License-Identifier: ISC
// Waking a task from another thread. What is asked collects in one word of the task; its node is in the
// inbox at most once, so a wake never allocates.
#pragma once

#include <cstdint>

#include "loop/task.hpp"

namespace xtc {

void remote_wake(Task& task, uint32_t epoch); // that sleep
void remote_nudge(Task& task);                // whatever it waits for: look again
void remote_spawn(Task& task);                // made here, to be started there

// Either side: a nudge from wherever we are.
void nudge_from_anywhere(Task& task);

} // namespace xtc
