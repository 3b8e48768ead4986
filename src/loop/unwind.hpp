// SPDX-License-Identifier: ISC
// Leaving a fiber from the middle: its frames are unwound, so destructors run, then the fiber ends.
#pragma once

namespace xtc {

struct Task;

// The running fiber only. A catch (...) on the way must rethrow; one that does not keeps the fiber running
// until its next wait, where this starts again.
[[noreturn]] void unwind_fiber(Task& task, int reason);

} // namespace xtc
