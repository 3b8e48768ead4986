// SPDX-License-Identifier: ISC
// What libxtc-sim and libnrt ask of loops and executors beyond the public calls.
#include <atomic>
#include <thread>
#include <vector>

#include "seam/loop.h"
#include "support/loops.hpp"

using namespace xtc::test;

namespace {

struct Note {
    std::vector<int>* into;
    int value;
    static void add(void* self) {
        auto* note = static_cast<Note*>(self);
        note->into->push_back(note->value);
    }
};

} // namespace

TEST_CASE("seam: an executor that is held does not run until it is let go", "[threads]") {
    TestExec exec(2);
    REQUIRE(xtc_seam_exec_hold(exec) == XTC_OK);
    CHECK(xtc_seam_exec_hold(exec) == XTC_E_AGAIN);
    CHECK(xtc_exec_fini(exec) == XTC_E_INVAL);
    std::atomic<bool> is_let_go{false};
    bool ran_early = true;
    exec.proc(0, [&] { ran_early = !is_let_go; });
    std::thread runner([&] { exec.run(); });
    is_let_go = true;
    xtc_seam_exec_let_go(exec);
    runner.join();
    CHECK_FALSE(ran_early);
    CHECK(xtc_seam_exec_hold(exec) == XTC_OK); // it has ended
    xtc_seam_exec_let_go(exec);
}

TEST_CASE("seam: an executor that runs is not held, whoever runs it", "[threads]") {
    TestExec exec(1);
    int by_threads = XTC_OK;
    exec.proc(0, [&] { by_threads = xtc_seam_exec_hold(exec); });
    exec.run();
    CHECK(by_threads == XTC_E_AGAIN);
    REQUIRE(xtc_seam_exec_begin_run(exec) == XTC_OK);
    CHECK(xtc_seam_exec_begin_run(exec) == XTC_E_INVAL);
    CHECK(xtc_seam_exec_hold(exec) == XTC_E_AGAIN);
    CHECK(xtc_exec_run(exec) == XTC_E_INVAL);
    xtc_seam_exec_end_run(exec);
    CHECK(xtc_seam_exec_hold(exec) == XTC_OK);
    xtc_seam_exec_let_go(exec);
}

TEST_CASE("seam: an executor's end is told to all who asked and have not forgotten it") {
    std::vector<int> told;
    Note notes[3] = {{&told, 1}, {&told, 2}, {&told, 3}};
    xtc_seam_fini_t nodes[3];
    {
        TestExec exec(1);
        for (int i = 0; i < 3; ++i) {
            nodes[i] = {Note::add, &notes[i], nullptr};
            xtc_seam_exec_at_fini(exec, &nodes[i]);
        }
        xtc_seam_exec_forget_fini(exec, &nodes[1]);
        CHECK(told.empty());
    }
    CHECK(told == std::vector<int>{3, 1});
}

TEST_CASE("seam: a fiber's scopes hear, innermost first, that its loop ended under it") {
    std::vector<int> told;
    Note outer{&told, 1}, left{&told, 2}, inner{&told, 3};
    TestLoop loop;
    loop.proc([&] {
        xtc_seam_drop_t a{Note::add, &outer, {}, 0}, b{Note::add, &left, {}, 0}, c{Note::add, &inner, {}, 0};
        xtc_seam_fiber_on_drop(&a);
        xtc_seam_fiber_on_drop(&b);
        xtc_seam_fiber_no_drop(&b);
        xtc_seam_fiber_on_drop(&c);
        CHECK(xtc_loop_stop(loop) == XTC_OK);
        xtc_proc_sleep(kSecond * 3600);
    });
    loop.run();
    CHECK(told.empty());
    loop.fini();
    CHECK(told == std::vector<int>{3, 1});
}

TEST_CASE("seam: off a fiber there is no stack to be dropped") {
    std::vector<int> told;
    Note note{&told, 1};
    xtc_seam_drop_t node{Note::add, &note, {}, 0};
    xtc_seam_fiber_on_drop(&node);
    xtc_seam_fiber_no_drop(&node);
    CHECK(told.empty());
}

TEST_CASE("seam: who may wait, and on whose loop it is") {
    CHECK(xtc_seam_may_wait() == XTC_OK);
    CHECK(xtc_seam_exec_here() == nullptr);
    xtc_seam_forbid_thread_block(1);
    CHECK(xtc_seam_may_wait() == XTC_E_DEADLK);
    xtc_seam_forbid_thread_block(0);
    struct Answers {
        int in_fiber = -1, in_task = -1;
        xtc_exec_t* here = nullptr;
    } answers;
    TestExec exec(1);
    exec.proc(0, [&] {
        answers.in_fiber = xtc_seam_may_wait();
        answers.here = xtc_seam_exec_here();
    });
    const auto task = [](xtc_task_t*, void* arg) -> int {
        static_cast<Answers*>(arg)->in_task = xtc_seam_may_wait();
        return XTC_TASK_DONE;
    };
    CHECK(xtc_exec_spawn_on(exec, 0, task, &answers, nullptr) == XTC_OK);
    exec.run();
    CHECK(answers.in_fiber == XTC_OK);
    CHECK(answers.in_task == XTC_E_INVAL);
    CHECK(answers.here == exec);
    TestLoop alone;
    alone.proc([&] { answers.here = xtc_seam_exec_here(); });
    alone.run();
    CHECK(answers.here == nullptr);
}
