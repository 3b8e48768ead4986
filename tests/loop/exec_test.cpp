// SPDX-License-Identifier: ISC
#include <atomic>
#include <thread>

#include <sys/resource.h>

#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_future.h"

using namespace xtc::test;

TEST_CASE("exec: the run ends when everything is done, and can be asked for again", "[threads]") {
    TestExec exec(3);
    CHECK(xtc_exec_n_loops(exec) == 3);
    exec.run(); // nothing to do
    std::atomic<int> ran{0};
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i)
            exec.proc(i, [&, i] {
                if (xtc_exec_loop_id() == i && xtc_shard_id() == i && xtc_shard_count() == 3) ++ran;
                xtc_proc_sleep(kMs / 10);
            });
        exec.run();
    }
    CHECK(ran == 9);
}

TEST_CASE("exec: a second run uses the same threads", "[threads]") {
    TestExec exec(2);
    std::thread::id first, second;
    exec.proc(1, [&] { first = std::this_thread::get_id(); });
    exec.run();
    exec.proc(1, [&] { second = std::this_thread::get_id(); });
    exec.run();
    CHECK(first == second);
    CHECK(first != std::this_thread::get_id());
}

TEST_CASE("exec: spawns from other loops and from plain threads arrive", "[threads]") {
    TestExec exec(2);
    xtc_exec_set_service_mode(exec, 1);
    std::atomic<int> ran{0};
    constexpr int kEach = 2000;
    static TestExec* shared;
    shared = &exec;
    static std::atomic<int>* counter;
    counter = &ran;
    auto bump = [](void*) -> intptr_t {
        if (counter->fetch_add(1) + 1 == 3 * kEach) xtc_exec_stop(*shared);
        return 0;
    };
    exec.proc(0, [&] {
        for (int i = 0; i < kEach; ++i) {
            CHECK(xtc_exec_async_on(exec, 1, bump, nullptr, nullptr) == XTC_OK);
            if (i % 64 == 0) xtc_yield();
        }
    });
    std::atomic<int> refused{0};
    std::thread plain([&] {
        for (int i = 0; i < 2 * kEach; ++i)
            if (xtc_exec_async(exec, bump, nullptr, nullptr) != XTC_OK) ++refused;
    });
    exec.run();
    plain.join();
    CHECK(refused == 0);
    CHECK(ran == 3 * kEach);
}

TEST_CASE("exec: a stop wakes loops that sleep, from a fiber and from a thread", "[threads]") {
    for (int round = 0; round < 100; ++round) {
        TestExec exec(4);
        xtc_exec_set_service_mode(exec, 1);
        if (round % 2 == 0) {
            exec.proc(0, [&] { xtc_exec_stop(exec); });
            exec.run();
        } else {
            std::thread stopper([&] { xtc_exec_stop(exec); });
            exec.run();
            stopper.join();
        }
    }
    SUCCEED("every run returned");
}

TEST_CASE("exec: messages between two loops, none lost and none late", "[threads]") {
    TestExec exec(2);
    constexpr int kRounds = 5000;
    std::atomic<int> trips{0};
    xtc_pid_t ping = XTC_PID_NONE;
    xtc_pid_t pong = exec.proc(1, [&] {
        for (int i = 0; i < kRounds; ++i) {
            void* data = nullptr;
            size_t size = 0;
            if (xtc_recv(&data, &size, 20 * kSecond) != XTC_OK) return;
            xtc_pid_t from = *static_cast<xtc_pid_t*>(data);
            xtc_free(data);
            if (xtc_send(from, &i, sizeof i) != XTC_OK) return;
        }
    });
    ping = exec.proc(0, [&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_pid_t self = xtc_self();
            if (xtc_send(pong, &self, sizeof self) != XTC_OK) return;
            void* data = nullptr;
            size_t size = 0;
            if (xtc_recv(&data, &size, 20 * kSecond) != XTC_OK) return;
            if (*static_cast<int*>(data) == i) ++trips;
            xtc_free(data);
        }
    });
    exec.run();
    CHECK(trips == kRounds);
}

TEST_CASE("exec: await from another loop, from a plain thread and after the end", "[threads]") {
    TestExec exec(2);
    xtc_exec_set_service_mode(exec, 1);
    auto answer = [](void* arg) -> intptr_t {
        xtc_yield();
        return reinterpret_cast<intptr_t>(arg) + 1;
    };
    xtc_task_t* early = nullptr;
    xtc_task_t* far = nullptr;
    CHECK(xtc_exec_async_on(exec, 0, answer, reinterpret_cast<void*>(10), &early) == XTC_OK);
    CHECK(xtc_exec_async_on(exec, 0, answer, reinterpret_cast<void*>(20), &far) == XTC_OK);
    intptr_t from_loop = 0;
    exec.proc(1, [&] {
        xtc_await(far, &from_loop);
        xtc_exec_stop(exec);
    });
    int rc = -1;
    intptr_t from_thread = 0;
    std::thread plain([&] { rc = xtc_await(early, &from_thread); });
    exec.run();
    CHECK(from_loop == 21);
    CHECK(xtc_await(far, nullptr) == XTC_E_INVAL); // used up
    // The thread may still be on its way; run until it has its answer.
    std::thread runner([&] { xtc_exec_run(exec); });
    plain.join();
    xtc_exec_stop(exec);
    runner.join();
    CHECK(rc == XTC_OK);
    CHECK(from_thread == 11);
}

TEST_CASE("exec: idle loops use no processor time and make no turn", "[threads]") {
    TestExec exec(8);
    xtc_exec_set_service_mode(exec, 1);
    int64_t cpu = -1;
    exec.proc(0, [&] {
        xtc_proc_sleep(20 * kMs); // everybody asleep
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        xtc_proc_sleep(300 * kMs);
        getrusage(RUSAGE_SELF, &after);
        cpu = (after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
               before.ru_stime.tv_sec) *
                  1'000'000 +
              after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
              before.ru_stime.tv_usec;
        xtc_exec_stop(exec);
    });
    exec.run();
    CHECK(cpu >= 0);
    CHECK(cpu < 15'000); // 5 % of one core; the soak has the half per cent
}

TEST_CASE("exec: bad arguments are refused") {
    xtc_exec_t* none = nullptr;
    CHECK(xtc_exec_init(nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_exec_run(none) == XTC_E_INVAL);
    CHECK(xtc_exec_stop(none) == XTC_E_INVAL);
    CHECK(xtc_exec_fini(none) == XTC_E_INVAL);
    CHECK(xtc_exec_n_loops(none) == 0);
    TestExec exec(1);
    CHECK(xtc_exec_loop(exec, 1) == nullptr);
    CHECK(xtc_exec_loop(exec, -1) == nullptr);
    CHECK(xtc_exec_set_spin(exec, -1) == XTC_E_INVAL);
    const int cpus[] = {0};
    CHECK(xtc_exec_set_cpus(exec, cpus, 0) == XTC_E_INVAL);
    const int absent[] = {100000};
    CHECK(xtc_exec_set_cpus(exec, absent, 1) == XTC_E_INVAL);
    CHECK(xtc_exec_set_cpus(exec, cpus, 1) == XTC_OK);
    CHECK(xtc_loop_run(exec.loop(0)) == XTC_E_INVAL);
    CHECK(xtc_loop_step(exec.loop(0), 0) == XTC_E_INVAL);
    CHECK(xtc_loop_fini(exec.loop(0)) == XTC_E_INVAL);
    CHECK(xtc_exec_loop_id() == -1);
    CHECK(xtc_shard_count() == 0);
}
