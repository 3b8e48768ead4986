// SPDX-License-Identifier: ISC
// One loop on the calling thread, and a check that a call said XTC_OK.
#pragma once

#include <xtc_loop.h>
#include <xtc_proc.h>

#include <cerrno>

#include "sample.hpp"

namespace bench {

inline void ok(int code, const char* what) {
    if (code != XTC_OK) fail(std::string(what) + ": " + xtc_strerror(code));
}

// A process whose function is a lambda or any other callable that outlives it.
template <class Fn> xtc_pid_t start(xtc_loop_t* loop, Fn& fn) {
    xtc_pid_t pid = XTC_PID_NONE;
    ok(xtc_proc_spawn(
           loop, [](void* f) { (*static_cast<Fn*>(f))(); }, &fn, nullptr, &pid),
       "xtc_proc_spawn");
    return pid;
}

class Solo {
public:
    Solo() { ok(xtc_loop_init(&loop_), "xtc_loop_init"); }
    ~Solo() { xtc_loop_fini(loop_); }
    Solo(const Solo&) = delete;
    Solo& operator=(const Solo&) = delete;

    xtc_loop_t* get() const { return loop_; }
    void run() { ok(xtc_loop_run(loop_), "xtc_loop_run"); }
    void stop() { ok(xtc_loop_stop(loop_), "xtc_loop_stop"); }

private:
    xtc_loop_t* loop_ = nullptr;
};

} // namespace bench
