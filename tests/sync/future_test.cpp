// SPDX-License-Identifier: ISC
#include <atomic>
#include <thread>
#include <vector>

#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_future.h"

using namespace xtc::test;

namespace {

struct Pair {
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    Pair() { CHECK(xtc_future_new_pair(&promise, &future) == XTC_OK); }
};

} // namespace

TEST_CASE("future: a value set on the same loop reaches the fiber that awaits it") {
    TestLoop loop;
    Pair p;
    intptr_t got = 0;
    int status = -1;
    loop.proc([&] { status = xtc_future_await(p.future, &got); });
    loop.proc([&] { CHECK(xtc_promise_set(p.promise, 42, XTC_OK) == XTC_OK); });
    loop.run();
    CHECK(status == XTC_OK);
    CHECK(got == 42);
}

TEST_CASE("future: a dropped promise is XTC_E_ABORTED, a failed one its status") {
    TestLoop loop;
    Pair dropped, failed;
    int first = 0, second = 0;
    loop.proc([&] {
        first = xtc_future_await(dropped.future, nullptr);
        second = xtc_future_await(failed.future, nullptr);
    });
    xtc_promise_drop(dropped.promise);
    xtc_promise_drop(nullptr);
    CHECK(xtc_promise_set(failed.promise, 0, XTC_E_IO) == XTC_OK);
    loop.run();
    CHECK(first == XTC_E_ABORTED);
    CHECK(second == XTC_E_IO);
}

TEST_CASE("future: a timeout uses nothing up") {
    TestLoop loop;
    Pair p;
    std::vector<int> codes;
    loop.proc([&] {
        intptr_t got = 0;
        codes.push_back(xtc_future_wait(p.future, &got, 0));
        codes.push_back(xtc_future_wait(p.future, &got, kMs));
        xtc_promise_set(p.promise, 5, XTC_OK);
        int ready = 0;
        codes.push_back(xtc_future_ready(p.future, &ready));
        codes.push_back(ready);
        codes.push_back(xtc_future_wait(p.future, &got, 0));
        codes.push_back(static_cast<int>(got));
    });
    loop.run();
    CHECK(codes == std::vector<int>{XTC_E_AGAIN, XTC_E_AGAIN, XTC_OK, 1, XTC_OK, 5});
}

TEST_CASE("future: a plain thread waits, with and without a bound") {
    Pair p;
    CHECK(xtc_future_wait(p.future, nullptr, kMs) == XTC_E_AGAIN);
    CHECK(xtc_future_await(p.future, nullptr) == XTC_E_INVAL); // fibers only
    CHECK(xtc_promise_set(p.promise, 3, XTC_OK) == XTC_OK);
    intptr_t got = 0;
    CHECK(xtc_future_wait(p.future, &got, kForever) == XTC_OK);
    CHECK(got == 3);
}

TEST_CASE("future: a discarded one loses the value and tells the setter") {
    Pair p;
    CHECK(xtc_promise_abandoned(p.promise) == 0);
    CHECK(xtc_future_discard(p.future) == XTC_OK);
    CHECK(xtc_promise_abandoned(p.promise) == 1);
    CHECK(xtc_promise_set(p.promise, 1, XTC_OK) == XTC_OK);
    CHECK(xtc_future_discard(nullptr) == XTC_E_INVAL);
    CHECK(xtc_promise_abandoned(nullptr) == 0);
}

TEST_CASE("future: a killed reader leaves it whole") {
    TestLoop loop;
    Pair p;
    xtc_pid_t reader = loop.proc([&] { xtc_future_await(p.future, nullptr); });
    loop.proc([&] {
        xtc_yield();
        xtc_exit_pid(reader, 1);
        xtc_yield();
        xtc_yield();
        xtc_promise_set(p.promise, 8, XTC_OK);
        intptr_t got = 0;
        CHECK(xtc_future_await(p.future, &got) == XTC_OK);
        CHECK(got == 8);
    });
    loop.run();
}

TEST_CASE("future: the loop goes while a fiber awaits, then the promise is set") {
    Pair p;
    {
        TestLoop loop;
        loop.proc([&] { xtc_future_await(p.future, nullptr); });
        loop.proc([&] { xtc_loop_stop(loop); });
        loop.run();
    }
    CHECK(xtc_promise_set(p.promise, 1, XTC_OK) == XTC_OK); // wakes nobody, touches nothing that is gone
    CHECK(xtc_future_discard(p.future) == XTC_OK);
}

TEST_CASE("future: values cross threads, every one once", "[threads]") {
    TestExec exec(2);
    constexpr int kCount = 3000;
    std::vector<Pair> pairs(kCount);
    std::atomic<int64_t> sum{0};
    exec.proc(0, [&] {
        for (Pair& p : pairs) {
            intptr_t got = 0;
            if (xtc_future_await(p.future, &got) == XTC_OK) sum += got;
        }
    });
    std::thread setter([&] {
        for (int i = 0; i < kCount; i += 2) xtc_promise_set(pairs[static_cast<size_t>(i)].promise, i, XTC_OK);
    });
    exec.proc(1, [&] {
        for (int i = 1; i < kCount; i += 2) xtc_promise_set(pairs[static_cast<size_t>(i)].promise, i, XTC_OK);
    });
    exec.run();
    setter.join();
    CHECK(sum == int64_t{kCount} * (kCount - 1) / 2);
}

TEST_CASE("future: O01, timeouts and signals that meet give one verdict each", "[threads]") {
    TestExec exec(2);
    constexpr int kRounds = 3000;
    std::atomic<int> verdicts{0};
    std::atomic<xtc_promise_t*> hand{nullptr};
    exec.proc(0, [&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_promise_t* promise = nullptr;
            xtc_future_t* future = nullptr;
            if (xtc_future_new_pair(&promise, &future) != XTC_OK) return;
            hand.store(promise);
            intptr_t got = 0;
            int rc = xtc_future_wait(future, &got, (i % 40) * 1000);
            while (rc == XTC_E_AGAIN) rc = xtc_future_wait(future, &got, kSecond);
            if (rc == XTC_OK && got == 1) ++verdicts;
        }
    });
    exec.proc(1, [&] {
        for (int i = 0; i < kRounds; ++i) {
            xtc_promise_t* p = nullptr;
            while ((p = hand.exchange(nullptr)) == nullptr) xtc_yield();
            xtc_promise_set(p, 1, XTC_OK);
        }
    });
    exec.run();
    CHECK(verdicts == kRounds);
}
