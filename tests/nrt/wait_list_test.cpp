// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "nrt/wait_list.hpp"
#include "support/loops.hpp"
#include "xtc.h"

using namespace xtc::nrt;
using namespace xtc::test;

TEST_CASE("What holds already is not waited for, anywhere", "[nrt][wait_list]") {
    WaitList list;
    CHECK(list.wait([] { return true; }) == XTC_OK);
    TestLoop loop;
    int rc = -1;
    struct In {
        WaitList* list;
        int* rc;
    } in{&list, &rc};
    xtc_task_spawn(
        loop,
        [](xtc_task_t*, void* arg) {
            auto& i = *static_cast<In*>(arg);
            *i.rc = i.list->wait([] { return true; });
            return XTC_TASK_DONE;
        },
        &in, nullptr);
    loop.run();
    CHECK(rc == XTC_OK);
}

TEST_CASE("A plain task on a loop can not wait and is told so", "[nrt][wait_list]") {
    WaitList list;
    TestLoop loop;
    struct In {
        WaitList* list;
        int waited = 0;
    } in{&list};
    xtc_task_spawn(
        loop,
        [](xtc_task_t*, void* arg) {
            auto& i = *static_cast<In*>(arg);
            i.waited = i.list->wait([] { return false; });
            return XTC_TASK_DONE;
        },
        &in, nullptr);
    loop.run();
    CHECK(in.waited == XTC_E_INVAL);
}

TEST_CASE("A wait ends with its time", "[nrt][wait_list]") {
    WaitList list;
    CHECK(list.wait([] { return false; }, 0) == XTC_E_AGAIN);
    CHECK(list.wait([] { return false; }, 2 * kMs) == XTC_E_AGAIN);
}

TEST_CASE("Two fibers of one loop wait for each other's changes", "[nrt][wait_list]") {
    WaitList list;
    std::atomic<int> turn{0};
    std::vector<int> order;
    TestLoop loop;
    for (int me = 0; me < 2; ++me)
        loop.proc([&, me] {
            for (int round = 0; round < 3; ++round) {
                CHECK(list.wait([&] { return turn.load() % 2 == me; }) == XTC_OK);
                order.push_back(me);
                turn.fetch_add(1);
                list.changed();
            }
        });
    loop.run();
    CHECK(order == std::vector<int>{0, 1, 0, 1, 0, 1});
}

// A fiber that waited for an output that never came could not be killed.
TEST_CASE("A killed fiber leaves a wait in which nothing of its is in use", "[nrt][wait_list]") {
    WaitList list;
    bool unwound = false;
    TestLoop loop;
    const xtc_pid_t victim = loop.proc([&] {
        struct Mark {
            bool& flag;
            ~Mark() { flag = true; }
        } mark{unwound};
        list.wait([] { return false; }, -1, WaitList::OnKill::leave);
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
        xtc_yield();
        xtc_yield();
        CHECK(unwound);
        list.changed(); // finds nobody
    });
    loop.run();
    CHECK(unwound);
}

TEST_CASE("A killed fiber leaves when its wait is over, and unwinds then", "[nrt][wait_list]") {
    // A kill that unwound the wait at once would leave a link to a stack that is gone.
    WaitList list;
    std::atomic<bool> done{false};
    bool unwound = false;
    bool went_on = false;
    TestLoop loop;
    const xtc_pid_t victim = loop.proc([&] {
        struct Mark {
            bool& flag;
            ~Mark() { flag = true; }
        } mark{unwound};
        list.wait([&] { return done.load(); });
        went_on = true;
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
        xtc_yield();
        xtc_yield();
        CHECK_FALSE(unwound);
        done = true;
        list.changed();
    });
    loop.run();
    CHECK(unwound);
    CHECK_FALSE(went_on);
}

TEST_CASE("No change is lost between threads", "[nrt][wait_list][threads]") {
    WaitList list;
    std::atomic<int> turn{0};
    std::atomic<int> failures{0};
    constexpr int kRounds = 2000;
    std::vector<std::thread> threads;
    for (int me = 0; me < 3; ++me)
        threads.emplace_back([&, me] {
            for (int round = 0; round < kRounds; ++round) {
                if (list.wait([&] { return turn.load() % 3 == me; }) != XTC_OK) ++failures;
                turn.fetch_add(1);
                list.changed();
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(failures == 0);
    CHECK(turn == 3 * kRounds);
}

TEST_CASE("A time-out and a change at the same moment lose nobody", "[nrt][wait_list][threads]") {
    WaitList list;
    std::atomic<bool> go_on{true};
    std::atomic<int> odd{0};
    std::thread changer([&] {
        while (go_on) list.changed();
    });
    for (int i = 0; i < 2000; ++i)
        if (list.wait([] { return false; }, 1000) != XTC_E_AGAIN) ++odd;
    go_on = false;
    changer.join();
    CHECK(odd == 0);
}
