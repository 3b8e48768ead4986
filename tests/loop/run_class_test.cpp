// SPDX-License-Identifier: ISC
#include <string>

#include "support/loops.hpp"
#include "support/test_clock.hpp"
#include "xtc_async.h"
#include "xtc_future.h"

using namespace xtc::test;

namespace {

xtc_exec_class_t make_class(xtc_loop_t* loop, int shares, int64_t latency_ns = 0) {
    xtc_exec_class_t c = nullptr;
    CHECK(xtc_exec_class_create(loop, shares, latency_ns, &c) == XTC_OK);
    return c;
}

xtc_proc_opts_t in_class(xtc_exec_class_t c) {
    xtc_proc_opts_t opts{};
    opts.sched_class = c;
    return opts;
}

// Time passes only in runs, as long as each says.
struct Busy {
    TestLoop loop;
    TestClock clock;
    Busy() { clock.lend_to(loop); }

    // A process that computes for ever, run_ns at a time; *used: how long it did.
    void worker(xtc_exec_class_t c, int64_t run_ns, int64_t* used) {
        const xtc_proc_opts_t opts = in_class(c);
        loop.proc(
            [this, run_ns, used] {
                for (;;) {
                    clock.now += run_ns;
                    *used += run_ns;
                    xtc_yield();
                }
            },
            &opts);
    }
    void turns(int n) {
        for (int i = 0; i < n; ++i) {
            xtc_seam_loop_turn(loop, 64);
            CHECK(xtc_seam_loop_check(loop) == XTC_OK);
        }
    }
};

bool is_near(double value, double wanted) {
    return value > wanted * 0.97 && value < wanted * 1.03;
}

} // namespace

TEST_CASE("classes: time is shared as the shares say, not by the number of fibers or the length of runs") {
    Busy busy;
    xtc_exec_class_t three = make_class(busy.loop, 300);
    xtc_exec_class_t one = make_class(busy.loop, 100);
    int64_t used_three = 0, used_one = 0, used_rest = 0;
    busy.worker(three, 700, &used_three);
    for (int i = 0; i < 8; ++i) busy.worker(one, 5'000, &used_one);
    for (int i = 0; i < 3; ++i) busy.worker(nullptr, 2'000, &used_rest); // as if of 100 shares
    busy.turns(400);
    CHECK(is_near(static_cast<double>(used_three) / static_cast<double>(used_one), 3));
    CHECK(is_near(static_cast<double>(used_rest) / static_cast<double>(used_one), 1));
    // What the telemetry says is what happened.
    CHECK(is_near(static_cast<double>(xtc_exec_class_vruntime(three)),
                  static_cast<double>(used_three) * 1024 / 300));
    CHECK(xtc_exec_class_runs(three) == static_cast<uint64_t>(used_three) / 700);
    CHECK(xtc_exec_class_runs(one) == static_cast<uint64_t>(used_one) / 5'000);
}

TEST_CASE("classes: runs without length are shared too") {
    Busy busy;
    xtc_exec_class_t two = make_class(busy.loop, 200);
    xtc_exec_class_t one = make_class(busy.loop, 100);
    int64_t ignored = 0;
    busy.worker(two, 0, &ignored);
    busy.worker(one, 0, &ignored);
    busy.turns(100);
    CHECK(is_near(
        static_cast<double>(xtc_exec_class_runs(two)) / static_cast<double>(xtc_exec_class_runs(one)), 2));
}

TEST_CASE("classes: a class that rested has saved nothing up") {
    Busy busy;
    xtc_exec_class_t often = make_class(busy.loop, 100);
    xtc_exec_class_t seldom = make_class(busy.loop, 100);
    int64_t used_often = 0, used_seldom = 0;
    busy.worker(often, 1'000, &used_often);
    busy.turns(50);
    CHECK(used_often == 50 * 64'000);
    busy.worker(seldom, 1'000, &used_seldom);
    used_often = 0;
    busy.turns(1);
    CHECK(used_seldom == used_often); // not all of the turn
}

TEST_CASE("classes: without fibers in a class the order is first come, first served") {
    Busy busy;
    make_class(busy.loop, 1000);
    std::string order;
    for (char name : {'a', 'b', 'c'})
        busy.loop.proc([&busy, &order, name] {
            for (int i = 0; i < 3; ++i) {
                busy.clock.now += name == 'a' ? 1'000'000 : 1;
                order += name;
                xtc_yield();
            }
        });
    busy.turns(1);
    CHECK(order == "abcabcabc");
}

TEST_CASE("classes: a process moves between classes, and its time with it") {
    Busy busy;
    xtc_exec_class_t first = make_class(busy.loop, 512);
    xtc_exec_class_t second = make_class(busy.loop, 512);
    TestLoop other;
    xtc_exec_class_t foreign = make_class(other, 1);
    busy.loop.proc([&] {
        CHECK(xtc_proc_set_class(foreign) == XTC_E_INVAL);
        busy.clock.now += 10'000;
        CHECK(xtc_proc_set_class(first) == XTC_OK);
        busy.clock.now += 20'000;
        CHECK(xtc_proc_set_class(first) == XTC_OK);
        CHECK(xtc_proc_set_class(second) == XTC_OK);
        CHECK(xtc_exec_class_vruntime(first) == 20'000 * 2);
        busy.clock.now += 40'000;
        xtc_yield();
        CHECK(xtc_exec_class_vruntime(second) >= 40'000 * 2);
        busy.clock.now += 7'000;
        CHECK(xtc_proc_set_class(nullptr) == XTC_OK);
        busy.clock.now += 1'000'000;
    });
    busy.turns(2);
    CHECK(xtc_exec_class_vruntime(first) == 20'000 * 2);
    CHECK(xtc_exec_class_vruntime(second) >= 47'000 * 2);
    CHECK(xtc_exec_class_vruntime(second) < 60'000 * 2);
    CHECK(xtc_seam_loop_live(busy.loop) == 0);
}

TEST_CASE("classes: the smallest latency of a class with fibers bounds the time between yields") {
    Busy busy;
    xtc_exec_class_t loose = make_class(busy.loop, 100, 50'000);
    xtc_exec_class_t tight = make_class(busy.loop, 100, 10'000);
    std::string due;
    const auto look = [&](int64_t ran_ns) {
        xtc_yield();
        busy.clock.now += ran_ns;
        due += xtc_yield_check() ? '1' : '0';
    };
    const xtc_proc_opts_t opts = in_class(loose);
    busy.loop.proc(
        [&] {
            look(50'000);
            look(50'001);
            CHECK(xtc_proc_set_class(tight) == XTC_OK);
            look(10'000);
            look(10'001);
            xtc_yield_set_budget(busy.loop, 5'000); // the smaller of the two counts
            look(5'001);
            xtc_yield_set_budget(busy.loop, 20'000);
            look(10'001);
            CHECK(xtc_proc_set_class(nullptr) == XTC_OK);
            look(10'001);
            look(20'001);
        },
        &opts);
    busy.turns(2);
    CHECK(due == "01011101");
}

TEST_CASE("classes: plain tasks, fibers and mail go on beside them", "[threads]") {
    TestExec exec(2);
    xtc_exec_class_t c = make_class(exec.loop(0), 10);
    int runs = 0;
    CHECK(xtc_exec_spawn_on(
              exec, 0,
              [](xtc_task_t*, void* arg) {
                  return ++*static_cast<int*>(arg) < 100 ? XTC_TASK_RESCHED : XTC_TASK_DONE;
              },
              &runs, nullptr) == XTC_OK);
    const xtc_proc_opts_t opts = in_class(c);
    std::string got;
    const xtc_pid_t reader = exec.proc(
        0,
        [&] {
            for (int i = 0; i < 100; ++i) {
                void* data = nullptr;
                size_t size = 0;
                CHECK(xtc_recv(&data, &size, kForever) == XTC_OK);
                got.append(static_cast<char*>(data), size);
                xtc_free(data);
            }
        },
        &opts);
    exec.proc(1, [&] {
        for (int i = 0; i < 100; ++i) {
            CHECK(xtc_send(reader, "m", 1) == XTC_OK);
            xtc_yield();
        }
    });
    exec.run();
    CHECK(runs == 100);
    CHECK(got == std::string(100, 'm'));
    CHECK(xtc_exec_class_runs(c) >= 1);
}

TEST_CASE("classes: fibers that are killed or left behind leave their class") {
    TestLoop loop;
    xtc_exec_class_t c = make_class(loop, 10);
    const xtc_proc_opts_t opts = in_class(c);
    const xtc_pid_t victim = loop.proc([] { xtc_proc_sleep(kSecond * 1000); }, &opts);
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
    });
    loop.run();
    CHECK(xtc_seam_loop_check(loop) == XTC_OK);
    loop.proc([] { xtc_proc_sleep(kSecond * 1000); }, &opts);
    loop.proc([&] { xtc_loop_stop(loop); });
    loop.run();
    loop.fini();
}

TEST_CASE("classes: bounds, owners and answers") {
    TestLoop loop, other;
    xtc_exec_class_t c = nullptr;
    CHECK(xtc_exec_class_create(nullptr, 1, 0, &c) == XTC_E_INVAL);
    CHECK(xtc_exec_class_create(loop, 1, 0, nullptr) == XTC_E_INVAL);
    CHECK(xtc_exec_class_create(loop, 0, 0, &c) == XTC_E_INVAL);
    CHECK(xtc_exec_class_create(loop, XTC_EXEC_CLASS_SHARES_MAX + 1, 0, &c) == XTC_E_INVAL);
    CHECK(xtc_exec_class_create(loop, 1, -1, &c) == XTC_E_INVAL);
    CHECK(c == nullptr);
    for (int i = 0; i < XTC_EXEC_CLASS_MAX; ++i) make_class(loop, 1 + i, i);
    CHECK(xtc_exec_class_create(loop, 1, 0, &c) == XTC_E_AGAIN);
    CHECK(c == nullptr);

    xtc_exec_class_t theirs = make_class(other, 700, 9);
    CHECK(xtc_exec_class_shares(theirs) == 700);
    CHECK(xtc_exec_class_latency(theirs) == 9);
    CHECK(xtc_exec_class_runs(theirs) == 0);
    CHECK(xtc_exec_class_vruntime(theirs) == 0);
    CHECK(xtc_exec_class_shares(nullptr) == 0);
    CHECK(xtc_exec_class_latency(nullptr) == 0);
    CHECK(xtc_exec_class_runs(nullptr) == 0);
    CHECK(xtc_exec_class_vruntime(nullptr) == 0);

    const xtc_proc_opts_t opts = in_class(theirs);
    CHECK(xtc_proc_spawn(
              loop, [](void*) {}, nullptr, &opts, nullptr) == XTC_E_INVAL);
    CHECK(xtc_proc_set_class(nullptr) == XTC_E_INVAL);
    loop.proc([&] {
        CHECK(xtc_exec_class_create(other, 1, 0, &c) == XTC_E_INVAL); // from another loop
        CHECK(xtc_proc_set_class(nullptr) == XTC_OK);
    });
    loop.run();
}
