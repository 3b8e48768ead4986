// SPDX-License-Identifier: ISC
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/loop.hpp"
#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_io.h"
#include "xtc_sync.h"

using namespace xtc::test;

namespace {

struct Fired {
    std::vector<int>* order;
    int id;
    static void note(void* p) {
        auto* f = static_cast<Fired*>(p);
        f->order->push_back(f->id);
    }
};

int bump(xtc_task_t*, void* p) {
    ++*static_cast<int*>(p);
    return XTC_TASK_DONE;
}

} // namespace

TEST_CASE("loop: an empty loop returns at once, a loop without a driver yet is freed") {
    TestLoop loop;
    loop.run();
    loop.run();
    TestLoop never_run;
    int n = 0;
    CHECK(xtc_task_spawn(never_run, bump, &n, nullptr) == XTC_OK);
}

TEST_CASE("loop: timers fire in order of deadline, also those set before the first run") {
    TestLoop loop;
    std::vector<int> order;
    std::vector<Fired> all;
    for (int i = 0; i < 50; ++i) all.push_back({&order, i});
    for (int i = 0; i < 50; ++i) {
        const int at = (i * 37) % 50;
        CHECK(xtc_timer_set(loop, at * kMs / 20, Fired::note, &all[static_cast<size_t>(at)], nullptr) ==
              XTC_OK);
    }
    loop.run();
    CHECK(order.size() == 50);
    CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("loop: a cancelled timer does not fire, cancelling late or twice is harmless") {
    TestLoop loop;
    std::vector<int> order;
    Fired first{&order, 1}, second{&order, 2};
    xtc_timer_t* cancelled = nullptr;
    xtc_timer_t* fires = nullptr;
    CHECK(xtc_timer_set(loop, kMs, Fired::note, &first, &cancelled) == XTC_OK);
    CHECK(xtc_timer_set(loop, kMs, Fired::note, &second, &fires) == XTC_OK);
    CHECK(xtc_timer_cancel(cancelled) == XTC_OK);
    CHECK(xtc_timer_cancel(cancelled) == XTC_OK);
    loop.run();
    CHECK(order == std::vector<int>{2});
    CHECK(xtc_timer_cancel(fires) == XTC_OK);
    // The slot of a stale handle serves another timer: it is not touched.
    order.clear();
    CHECK(xtc_timer_set(loop, 0, Fired::note, &first, nullptr) == XTC_OK);
    CHECK(xtc_timer_set(loop, 0, Fired::note, &second, nullptr) == XTC_OK);
    CHECK(xtc_timer_cancel(fires) == XTC_OK);
    CHECK(xtc_timer_cancel(cancelled) == XTC_OK);
    loop.run();
    CHECK(order.size() == 2);
    CHECK(xtc_timer_set(nullptr, 0, Fired::note, &first, nullptr) == XTC_E_INVAL);
    CHECK(xtc_timer_set(loop, -1, Fired::note, &first, nullptr) == XTC_E_INVAL);
}

// L6, G4: counted in turns, not in time.
TEST_CASE("loop: a fiber that yields for ever does not starve a timer") {
    TestLoop loop;
    bool fired = false;
    int64_t due = 0;
    int late_yields = 0;
    loop.proc([&] {
        CHECK(xtc_timer_set(
                  loop, kMs, [](void* p) { *static_cast<bool*>(p) = true; }, &fired, nullptr) == XTC_OK);
        due = xtc_clock_mono() + kMs; // not before the timer's
        while (!fired) {
            if (xtc_clock_mono() >= due) ++late_yields;
            xtc_yield();
        }
    });
    loop.run();
    CHECK(fired);
    // The turn in which it comes due looks at the clock once; the next one fires it.
    CHECK(late_yields <= 2 * static_cast<int>(xtc::Loop::kRunsPerTurn) + 1);
}

TEST_CASE("loop: a plain task runs again when it asks to, and when it is woken") {
    TestLoop loop;
    struct State {
        int runs = 0;
        xtc_task_t* task = nullptr;
        xtc_waker_t waker{};
    } s;
    auto step = [](xtc_task_t* self, void* p) {
        auto* s = static_cast<State*>(p);
        ++s->runs;
        if (s->runs < 3) return XTC_TASK_RESCHED;
        if (s->runs == 3) {
            CHECK(xtc_task_waker(self, &s->waker) == XTC_OK);
            CHECK(xtc_waker_wake(&s->waker) == XTC_OK); // while it runs: latched
            return XTC_TASK_PENDING;
        }
        if (s->runs == 4) {
            CHECK(xtc_task_park_on_timer(self, kMs) == XTC_OK);
            CHECK(xtc_task_park_on_timer(self, kMs) == XTC_E_INVAL);
            return XTC_TASK_PENDING;
        }
        return XTC_TASK_DONE;
    };
    CHECK(xtc_task_spawn(loop, step, &s, &s.task) == XTC_OK);
    loop.run();
    CHECK(s.runs == 5);
    CHECK(xtc_waker_wake(&s.waker) == XTC_OK); // long gone
    xtc_waker_t none{};
    CHECK(xtc_waker_wake(&none) == XTC_E_INVAL);
    CHECK(xtc_task_waker(s.task, &none) == XTC_E_INVAL);
}

TEST_CASE("loop: a plain task waits for a descriptor") {
    TestLoop loop;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct State {
        int fd;
        int runs = 0;
    } s{fd};
    auto step = [](xtc_task_t* self, void* p) {
        auto* s = static_cast<State*>(p);
        if (s->runs++ > 0) return XTC_TASK_DONE;
        CHECK(xtc_task_park_on_fd(self, -1, XTC_IO_READABLE) == XTC_E_INVAL);
        CHECK(xtc_task_park_on_fd(self, s->fd, 0) == XTC_E_INVAL);
        CHECK(xtc_task_park_on_fd(self, s->fd, XTC_IO_READABLE) == XTC_OK);
        return XTC_TASK_PENDING;
    };
    CHECK(xtc_task_spawn(loop, step, &s, nullptr) == XTC_OK);
    loop.proc([&] {
        xtc_yield();
        CHECK(s.runs == 1);
        CHECK(eventfd_write(fd, 1) == 0);
    });
    loop.run();
    CHECK(s.runs == 2);
    close(fd);
}

TEST_CASE("loop: stop leaves the rest for the next run, and a stop before a run ends that run at once") {
    TestLoop loop;
    int laps = 0;
    loop.proc([&] {
        for (int i = 0; i < 2; ++i) {
            ++laps;
            CHECK(xtc_loop_stop(loop) == XTC_OK);
            xtc_yield();
        }
        ++laps;
    });
    loop.run();
    CHECK(laps == 1);
    loop.run();
    CHECK(laps == 2);
    CHECK(xtc_loop_stop(loop) == XTC_OK);
    loop.run();
    CHECK(laps == 2);
    loop.run();
    CHECK(laps == 3);
}

TEST_CASE("loop: a host steps it by its pollable descriptor and deadline") {
    TestLoop loop;
    CHECK(xtc_loop_next_deadline(loop) == -1);
    int n = 0;
    CHECK(xtc_task_spawn(loop, bump, &n, nullptr) == XTC_OK);
    CHECK(xtc_loop_next_deadline(loop) == 0);
    CHECK(xtc_loop_step(loop, 0) == XTC_OK);
    CHECK(n == 1);
    CHECK(xtc_loop_step(loop, 0) == XTC_E_AGAIN);
    const int fd = xtc_loop_pollfd(loop);
    REQUIRE(fd >= 0);
    pollfd p{fd, POLLIN, 0};
    CHECK(poll(&p, 1, 0) == 0);
    bool fired = false;
    CHECK(xtc_timer_set(
              loop, 5 * kMs, [](void* f) { *static_cast<bool*>(f) = true; }, &fired, nullptr) == XTC_OK);
    const int64_t left = xtc_loop_next_deadline(loop);
    CHECK(left > 0);
    CHECK(left <= 5 * kMs);
    CHECK(xtc_loop_step(loop, kSecond) == XTC_OK);
    CHECK(fired);
    // Work from another thread makes the descriptor readable.
    std::thread other([&] { xtc_task_spawn(loop, bump, &n, nullptr); });
    p = {fd, POLLIN, 0};
    CHECK(poll(&p, 1, 10'000) == 1);
    other.join();
    while (n == 1) xtc_loop_step(loop, 0);
    CHECK(n == 2);
}

// A wake that came while the loop was awake ended the next sleep of a running loop only, not that of a host.
TEST_CASE("loop: a wake during a step makes the host's descriptor readable") {
    TestLoop loop;
    const int fd = xtc_loop_pollfd(loop);
    REQUIRE(fd >= 0);
    const auto wakes = [](xtc_task_t*, void* l) -> int {
        CHECK(xtc_loop_wake(static_cast<xtc_loop_t*>(l)) == XTC_OK);
        return XTC_TASK_DONE;
    };
    CHECK(xtc_task_spawn(loop, wakes, static_cast<xtc_loop_t*>(loop), nullptr) == XTC_OK);
    CHECK(xtc_loop_step(loop, 0) == XTC_OK);
    pollfd p{fd, POLLIN, 0};
    CHECK(poll(&p, 1, 0) == 1);
    xtc_loop_step(loop, 0);
    p.revents = 0;
    CHECK(poll(&p, 1, 0) == 0);
}

TEST_CASE("loop: another thread's wake reaches a sleeping loop, again and again", "[threads]") {
    TestLoop loop;
    constexpr int kRounds = 3000;
    xtc_notify_t* go = nullptr;
    xtc_notify_t* back = nullptr;
    REQUIRE(xtc_notify_create(&go) == XTC_OK);
    REQUIRE(xtc_notify_create(&back) == XTC_OK);
    int seen = 0;
    loop.proc([&] {
        for (int i = 0; i < kRounds; ++i) {
            if (xtc_notify_wait(go, 20 * kSecond) == XTC_OK) ++seen;
            xtc_notify_signal(back);
        }
    });
    std::thread other([&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_notify_signal(go);
            xtc_notify_wait(back, kForever);
        }
    });
    loop.run();
    other.join();
    CHECK(seen == kRounds);
    xtc_notify_destroy(go);
    xtc_notify_destroy(back);
}

TEST_CASE("loop: a loop runs on one thread, then on another", "[threads]") {
    TestLoop loop;
    int fds[2];
    REQUIRE(pipe(fds) == 0);
    bool got = false;
    loop.proc([&] {
        uint32_t bits = 0;
        got = xtc_proc_wait_fd(fds[0], XTC_IO_READABLE, 20 * kSecond, &bits) == XTC_OK &&
              bits == XTC_IO_READABLE;
    });
    loop.proc([&] {
        xtc_yield();
        xtc_loop_stop(loop);
    });
    std::thread first([&] { xtc_loop_run(loop); });
    first.join();
    CHECK_FALSE(got);
    CHECK(write(fds[1], "x", 1) == 1);
    std::thread second([&] { xtc_loop_run(loop); });
    second.join();
    CHECK(got);
    close(fds[0]);
    close(fds[1]);
}

// O15, L10
TEST_CASE("loop: in a forked child everything inherited answers XTC_E_INVAL and fini frees memory only") {
    TestLoop loop;
    int fds[2];
    REQUIRE(pipe(fds) == 0);
    bool got = false;
    int child_status = -1;
    loop.proc([&] {
        uint32_t bits = 0;
        got = xtc_proc_wait_fd(fds[0], XTC_IO_READABLE, 20 * kSecond, &bits) == XTC_OK;
    });
    loop.proc([&] {
        xtc_yield();
        const pid_t child = fork();
        if (child == 0) {
            xtc_pid_t pid;
            const bool right = xtc_loop_run(loop) == XTC_E_INVAL && xtc_loop_stop(loop) == XTC_E_INVAL &&
                               xtc_loop_step(loop, 0) == XTC_E_INVAL &&
                               xtc_proc_spawn(
                                   loop, [](void*) {}, nullptr, nullptr, &pid) == XTC_E_INVAL &&
                               xtc_proc_sleep(0) == XTC_E_INVAL && xtc_loop_fini(loop) == XTC_OK;
            _exit(right ? 0 : 1);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        child_status = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
        CHECK(write(fds[1], "x", 1) == 1);
    });
    loop.run();
    CHECK(child_status == 0);
    CHECK(got);
    close(fds[0]);
    close(fds[1]);
}

TEST_CASE("loop: calls that would block a loop's own thread are refused outside a fiber") {
    TestLoop loop;
    xtc_task_t* fiber = nullptr;
    CHECK(xtc_async(
              loop, [](void*) -> intptr_t { return 1; }, nullptr, &fiber) == XTC_OK);
    static xtc_task_t* shared;
    shared = fiber;
    auto step = [](xtc_task_t*, void*) {
        CHECK(xtc_await(shared, nullptr) == XTC_E_INVAL);
        CHECK(xtc_proc_sleep(1) == XTC_E_INVAL);
        void* data = nullptr;
        size_t size = 0;
        CHECK(xtc_recv(&data, &size, 0) == XTC_E_INVAL);
        return XTC_TASK_DONE;
    };
    CHECK(xtc_task_spawn(loop, step, nullptr, nullptr) == XTC_OK);
    loop.run();
    CHECK(xtc_loop_run(nullptr) == XTC_E_INVAL);
    CHECK(xtc_loop_fini(nullptr) == XTC_E_INVAL);
    CHECK(xtc_loop_init(nullptr) == XTC_E_INVAL);
}
