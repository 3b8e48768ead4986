// SPDX-License-Identifier: ISC
// The loop whose turn this thread is taking. A loop's identity is not its thread's: the simulator takes the
// turns of many loops on one thread.
#pragma once

namespace xtc {

class Loop;
struct Task;

extern thread_local Loop* tl_current_loop __attribute__((tls_model("initial-exec")));

inline Loop* current_loop() {
    return tl_current_loop;
}
inline void set_current_loop(Loop* loop) {
    tl_current_loop = loop;
}

Task* current_fiber(); // the fiber that runs here, nullptr in a plain task, a timer or off a loop
Task* current_proc();  // the same, if it is a process

} // namespace xtc
