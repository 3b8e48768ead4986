// SPDX-License-Identifier: ISC
#include <atomic>
#include <thread>
#include <vector>

#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_sync.h"

using namespace xtc::test;

namespace {

struct Notify {
    xtc_notify_t* n = nullptr;
    Notify() { REQUIRE(xtc_notify_create(&n) == XTC_OK); }
    ~Notify() { xtc_notify_destroy(n); }
    operator xtc_notify_t*() const { return n; }
};

} // namespace

TEST_CASE("notify: one permit is stored, extra signals collapse") {
    Notify n;
    CHECK(xtc_notify_signal(n) == XTC_OK);
    CHECK(xtc_notify_signal(n) == XTC_OK);
    CHECK(xtc_notify_wait(n, 0) == XTC_OK);
    CHECK(xtc_notify_wait(n, 0) == XTC_E_AGAIN);
    CHECK(xtc_notify_wait(nullptr, 0) == XTC_E_INVAL);
    CHECK(xtc_notify_signal(nullptr) == XTC_E_INVAL);
}

TEST_CASE("notify: fibers are served in the order they came") {
    TestLoop loop;
    Notify n;
    std::vector<int> order;
    for (int i = 0; i < 3; ++i)
        loop.proc([&, i] {
            CHECK(xtc_notify_wait(n, kForever) == XTC_OK);
            order.push_back(i);
        });
    loop.proc([&] {
        for (int i = 0; i < 3; ++i) {
            xtc_yield();
            CHECK(xtc_notify_signal(n) == XTC_OK);
        }
    });
    loop.run();
    CHECK(order == std::vector<int>{0, 1, 2});
}

TEST_CASE("notify: a kill wakes a waiter, and a permit it was handed goes to the next") {
    TestLoop loop;
    Notify n;
    bool second = false;
    xtc_pid_t first = loop.proc([&] { xtc_notify_wait(n, kForever); });
    loop.proc([&] {
        CHECK(xtc_notify_wait(n, kSecond) == XTC_OK);
        second = true;
    });
    loop.proc([&] {
        CHECK(xtc_notify_signal(n) == XTC_OK);   // handed to the first
        CHECK(xtc_exit_pid(first, 1) == XTC_OK); // which dies before it runs
    });
    loop.run();
    CHECK(second);
}

TEST_CASE("notify: a timeout leaves no trace") {
    TestLoop loop;
    Notify n;
    loop.proc([&] {
        CHECK(xtc_notify_wait(n, kMs) == XTC_E_AGAIN);
        CHECK(xtc_notify_signal(n) == XTC_OK);
        CHECK(xtc_notify_wait(n, 0) == XTC_OK);
    });
    loop.run();
}

TEST_CASE("notify: threads and fibers hand permits to each other", "[threads]") {
    TestExec exec(2);
    Notify there, back;
    constexpr int kRounds = 2000;
    std::atomic<int> trips{0};
    std::thread plain([&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_notify_wait(there, kForever);
            xtc_notify_signal(back);
        }
    });
    exec.proc(0, [&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_notify_signal(there);
            if (xtc_notify_wait(back, 20 * kSecond) == XTC_OK) ++trips;
        }
    });
    exec.run();
    plain.join();
    CHECK(trips == kRounds);
}
