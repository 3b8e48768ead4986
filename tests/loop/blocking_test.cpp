// SPDX-License-Identifier: ISC
#include <atomic>
#include <vector>

#include "support/loops.hpp"
#include "xtc_blocking.h"

using namespace xtc::test;

namespace {

int nap(void* p) {
    xtc_sleep_ns(2 * kMs);
    static_cast<std::atomic<int>*>(p)->fetch_add(1);
    return 5;
}

} // namespace

TEST_CASE("blocking: the fiber parks while the closure runs, others go on", "[threads]") {
    TestLoop loop;
    std::atomic<int> done{0};
    int laps = 0;
    bool over = false;
    int answer = 0;
    loop.proc([&] {
        CHECK(xtc_blocking_run(nap, &done, &answer) == XTC_OK);
        over = true;
    });
    loop.proc([&] {
        while (!over) {
            ++laps;
            xtc_proc_sleep(kMs / 10);
        }
    });
    loop.run();
    CHECK(done == 1);
    CHECK(answer == 5);
    CHECK(laps > 0);
    CHECK(xtc_blocking_run(nap, &done, &answer) == XTC_OK); // a plain thread runs it itself
    CHECK(done == 2);
    CHECK(xtc_blocking_run(nullptr, nullptr, nullptr) == XTC_E_INVAL);
}

// L8, G9
TEST_CASE("blocking: a kill and stray wakes wait for the closure, which writes to the fiber's stack",
          "[threads]") {
    TestLoop loop;
    std::atomic<int> done{0};
    bool after = false;
    xtc_pid_t victim = loop.proc([&] {
        xtc_blocking_run(nap, &done, nullptr);
        xtc_yield();
        after = true;
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
        for (int i = 0; i < 5; ++i) {
            xtc_proc_wake(victim);
            xtc_yield();
        }
        CHECK(done == 0);
    });
    loop.run();
    CHECK(done == 1);
    CHECK_FALSE(after);
}

// O07
TEST_CASE("blocking: nothing runs after the loop is gone", "[threads]") {
    std::atomic<int> started{0};
    {
        TestLoop loop;
        for (int i = 0; i < 200; ++i) loop.proc([&] { xtc_blocking_run(nap, &started, nullptr); });
        loop.proc([&] {
            xtc_proc_sleep(kMs);
            xtc_loop_stop(loop);
        });
        loop.run();
    }
    const int when_gone = started;
    xtc_sleep_ns(10 * kMs);
    CHECK(started == when_gone);
    xtc_blocking_shutdown();
    xtc_blocking_shutdown();
    CHECK(xtc_blocking_run_off_loop(nap, &started, nullptr) == XTC_OK); // starts it anew
    CHECK(started == when_gone + 1);
}
