// SPDX-License-Identifier: ISC
// A loop for the length of a test, and processes written as lambdas.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "xtc_exec.h"
#include "xtc_loop.h"
#include "xtc_proc.h"

namespace xtc::test {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr int64_t kForever = -1;

// Owns the bodies of the processes it spawned until it goes.
class Bodies {
public:
    xtc_pid_t spawn(xtc_loop_t* loop, std::function<void()> body, const xtc_proc_opts_t* opts = nullptr) {
        bodies_.push_back(std::make_unique<std::function<void()>>(std::move(body)));
        xtc_pid_t pid = XTC_PID_NONE;
        const int rc = xtc_proc_spawn(
            loop, [](void* arg) { (*static_cast<std::function<void()>*>(arg))(); }, bodies_.back().get(),
            opts, &pid);
        CHECK(rc == XTC_OK);
        return pid;
    }

private:
    std::vector<std::unique_ptr<std::function<void()>>> bodies_;
};

class TestLoop {
public:
    TestLoop() { REQUIRE(xtc_loop_init(&loop_) == XTC_OK); }
    ~TestLoop() {
        if (loop_ != nullptr) xtc_loop_fini(loop_);
    }
    TestLoop(const TestLoop&) = delete;
    TestLoop& operator=(const TestLoop&) = delete;

    operator xtc_loop_t*() const { return loop_; }
    xtc_pid_t proc(std::function<void()> body, const xtc_proc_opts_t* opts = nullptr) {
        return bodies_.spawn(loop_, std::move(body), opts);
    }
    void run() { CHECK(xtc_loop_run(loop_) == XTC_OK); }
    void fini() { CHECK(xtc_loop_fini(std::exchange(loop_, nullptr)) == XTC_OK); }

private:
    xtc_loop_t* loop_ = nullptr;
    Bodies bodies_;
};

class TestExec {
public:
    explicit TestExec(int n_loops) { REQUIRE(xtc_exec_init(&exec_, n_loops) == XTC_OK); }
    ~TestExec() { xtc_exec_fini(exec_); }
    TestExec(const TestExec&) = delete;
    TestExec& operator=(const TestExec&) = delete;

    operator xtc_exec_t*() const { return exec_; }
    xtc_loop_t* loop(int i) const { return xtc_exec_loop(exec_, i); }
    xtc_pid_t proc(int i, std::function<void()> body, const xtc_proc_opts_t* opts = nullptr) {
        return bodies_.spawn(loop(i), std::move(body), opts);
    }
    void run() { CHECK(xtc_exec_run(exec_) == XTC_OK); }

private:
    xtc_exec_t* exec_ = nullptr;
    Bodies bodies_;
};

} // namespace xtc::test
