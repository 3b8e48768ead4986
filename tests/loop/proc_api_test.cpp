// SPDX-License-Identifier: ISC
#include <string>
#include <vector>

#include "support/little_room.hpp"
#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_inspect.h"

using namespace xtc::test;

namespace {

std::string text_of(void* data, size_t size) {
    std::string s(static_cast<char*>(data), size);
    xtc_free(data);
    return s;
}

struct Flag { // sets on destruction: shows that a stack was unwound
    bool& set;
    ~Flag() { set = true; }
};

} // namespace

TEST_CASE("proc: two processes talk and the loop ends when both have") {
    TestLoop loop;
    std::string heard;
    xtc_pid_t listener = loop.proc([&] {
        void* data = nullptr;
        size_t size = 0;
        CHECK(xtc_recv(&data, &size, kForever) == XTC_OK);
        heard = text_of(data, size);
    });
    loop.proc([&] { CHECK(xtc_send(listener, "hello", 5) == XTC_OK); });
    loop.run();
    CHECK(heard == "hello");
    xtc_proc_info_t info;
    CHECK(xtc_proc_info(listener, &info) == XTC_E_NOTFOUND);
    CHECK(xtc_send(listener, "late", 4) == XTC_E_INVAL);
}

TEST_CASE("proc: messages keep their order and a full mailbox refuses") {
    TestLoop loop;
    xtc_proc_opts_t opts{};
    opts.mailbox_cap = 3;
    std::vector<int> got;
    xtc_pid_t to = loop.proc(
        [&] {
            for (int i = 0; i < 3; ++i) {
                void* data = nullptr;
                size_t size = 0;
                CHECK(xtc_recv(&data, &size, kForever) == XTC_OK);
                CHECK((reinterpret_cast<uintptr_t>(data) & 15) == 0);
                got.push_back(*static_cast<int*>(data));
                xtc_free(data);
            }
        },
        &opts);
    for (int i = 0; i < 3; ++i) CHECK(xtc_send(to, &i, sizeof i) == XTC_OK);
    int extra = 9;
    CHECK(xtc_send(to, &extra, sizeof extra) == XTC_E_AGAIN);
    xtc_mailbox_stats_t stats;
    CHECK(xtc_proc_mailbox_stats(to, &stats) == XTC_OK);
    CHECK(stats.depth == 3);
    CHECK(stats.drop_total == 1);
    loop.run();
    CHECK(got == std::vector<int>{0, 1, 2});
}

TEST_CASE("proc: recv times out, and at once when asked to") {
    TestLoop loop;
    loop.proc([&] {
        void* data = nullptr;
        size_t size = 0;
        CHECK(xtc_recv(&data, &size, 0) == XTC_E_AGAIN);
        const int64_t before = xtc_clock_mono();
        CHECK(xtc_recv(&data, &size, 2 * kMs) == XTC_E_AGAIN);
        CHECK(xtc_clock_mono() - before >= 2 * kMs);
    });
    loop.run();
}

TEST_CASE("proc: sleep is not shortened by mail or wakes") {
    TestLoop loop;
    int64_t slept = 0;
    xtc_pid_t sleeper = loop.proc([&] {
        const int64_t before = xtc_clock_mono();
        CHECK(xtc_proc_sleep(5 * kMs) == XTC_OK);
        slept = xtc_clock_mono() - before;
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_send(sleeper, "x", 1) == XTC_OK);
        CHECK(xtc_proc_wake(sleeper) == XTC_OK);
    });
    loop.run();
    CHECK(slept >= 5 * kMs);
}

TEST_CASE("proc: a kill unwinds a process parked on mail, runs its hooks, then it is gone") {
    TestLoop loop;
    bool unwound = false;
    std::vector<int> hooks;
    static std::vector<int>* seen;
    seen = &hooks;
    xtc_pid_t victim = loop.proc([&] {
        Flag flag{unwound};
        CHECK(xtc_proc_at_exit([](void*) { seen->push_back(1); }, nullptr) == XTC_OK);
        CHECK(xtc_proc_at_exit([](void*) { seen->push_back(2); }, nullptr) == XTC_OK);
        void* data = nullptr;
        size_t size = 0;
        xtc_recv(&data, &size, kForever);
        CHECK(false); // never comes back
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 7) == XTC_OK);
        CHECK(xtc_exit_pid(victim, 8) == XTC_OK); // the first reason wins, asking twice is harmless
    });
    loop.run();
    CHECK(unwound);
    CHECK(hooks == std::vector<int>{2, 1});
    CHECK(xtc_exit_pid(victim, 1) == XTC_E_INVAL);
}

TEST_CASE(
    "proc: a hook that parks after a kill runs once, and the process is in the table until it is through") {
    TestLoop loop;
    static int runs;
    runs = 0;
    xtc_pid_t victim = loop.proc([&] {
        xtc_proc_at_exit(
            [](void*) {
                ++runs;
                xtc_proc_sleep(3 * kMs);
            },
            nullptr);
        xtc_proc_sleep(100 * kSecond);
    });
    loop.proc([&] {
        xtc_yield();
        xtc_exit_pid(victim, 1);
        xtc_proc_sleep(1 * kMs);
        xtc_proc_info_t info;
        CHECK(xtc_proc_info(victim, &info) == XTC_OK);
        CHECK(info.alive == 0);
        xtc_proc_sleep(20 * kMs);
        CHECK(xtc_proc_info(victim, &info) == XTC_E_NOTFOUND);
    });
    loop.run();
    CHECK(runs == 1);
}

TEST_CASE("proc: a mask holds a kill back until its last leave") {
    TestLoop loop;
    bool after_sleep = false;
    bool after_leave = false;
    xtc_pid_t victim = loop.proc([&] {
        CHECK(xtc_mask_enter() == XTC_OK);
        CHECK(xtc_mask_enter() == XTC_OK);
        xtc_proc_sleep(2 * kMs);
        after_sleep = true;
        CHECK(xtc_cancel_requested() == 1);
        CHECK(xtc_mask_leave() == XTC_OK);
        xtc_mask_leave();
        after_leave = true;
    });
    loop.proc([&] {
        xtc_yield();
        xtc_exit_pid(victim, 1);
    });
    loop.run();
    CHECK(after_sleep);
    CHECK_FALSE(after_leave);
}

TEST_CASE("proc: catch (...) that rethrows lets a kill through, exit_self unwinds too") {
    TestLoop loop;
    bool caught = false;
    bool unwound = false;
    loop.proc([&] {
        Flag flag{unwound};
        try {
            xtc_exit_self(3);
        } catch (...) {
            caught = true;
            throw;
        }
    });
    loop.run();
    CHECK(caught);
    CHECK(unwound);
}

TEST_CASE("proc: a swallowed kill is delivered again at the next wait") {
    TestLoop loop;
    bool unwound = false;
    bool lived_on = false;
    xtc_pid_t victim = loop.proc([&] {
        Flag flag{unwound};
        try {
            xtc_proc_sleep(100 * kSecond);
        } catch (...) { // wrong, and harmless
        }
        lived_on = true;
        xtc_yield();
        CHECK(false);
    });
    loop.proc([&] {
        xtc_yield();
        xtc_exit_pid(victim, 1);
    });
    loop.run();
    CHECK(lived_on);
    CHECK(unwound);
}

TEST_CASE("proc: exceptions stay with their fiber when handlers yield") {
    TestLoop loop;
    int right = 0;
    for (int i = 0; i < 2; ++i)
        loop.proc([&, i] {
            try {
                throw i;
            } catch (int) {
                xtc_yield();
                try {
                    std::rethrow_exception(std::current_exception());
                } catch (int v) {
                    if (v == i) ++right;
                }
            }
        });
    loop.run();
    CHECK(right == 2);
}

TEST_CASE("proc: a slot is used again and an old pid stays old") {
    TestLoop loop;
    std::vector<xtc_pid_t> pids;
    for (int i = 0; i < 100; ++i) {
        pids.push_back(loop.proc([] {}));
        loop.run();
    }
    for (size_t i = 1; i < pids.size(); ++i) CHECK_FALSE(xtc_pid_eq(pids[i - 1], pids[i]));
    xtc_pid_t alive = loop.proc([] { xtc_yield(); });
    for (xtc_pid_t p : pids) {
        CHECK(xtc_send(p, nullptr, 0) == XTC_E_INVAL);
        CHECK_FALSE(xtc_pid_eq(p, alive));
    }
    loop.run();
}

TEST_CASE("proc: a process spawned from outside that finds no memory for its stack ends before it begins") {
    TestLoop loop;
    bool ran = false;
    xtc_proc_opts2_t opts{};
    opts.size = sizeof opts;
    opts.version = XTC_PROC_OPTS2_VERSION;
    opts.stack_size = size_t{1} << 30;
    const auto note = [](void* flag) { *static_cast<bool*>(flag) = true; };
    xtc_pid_t pid = XTC_PID_NONE;
    CHECK(xtc_proc_spawn_ex(loop, note, &ran, &opts, &pid) == XTC_OK);
    int on_the_loop = XTC_OK;
    loop.proc([&] { on_the_loop = xtc_proc_spawn_ex(loop, note, &ran, &opts, nullptr); });
    {
        const LittleRoom room(rlim_t{256} << 20);
        loop.run(); // and does not wait for it
    }
    CHECK_FALSE(ran);
    CHECK(on_the_loop == XTC_E_NOMEM);
    CHECK(xtc_send(pid, "x", 1) != XTC_OK);
}
