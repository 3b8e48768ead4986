// SPDX-License-Identifier: ISC
#include "batch/device.hpp"

#include <xtc_blocking.h>
#include <xtc_net.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

using story::Device;
using story::Handles;
using story::Story;

namespace {

int launch_nothing(const xtc_batch_item_t*, size_t, xtc_batch_exec_t*) {
    return 0;
}

} // namespace

TEST_CASE("an inline operation is collected at once with the same vector") {
    Story s;
    s.make_async({.capacity = 8, .max_active = 2});
    s.on_collect = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        for (size_t i = 0; i < n; ++i)
            results[i].state =
                items[i].handle == 1 && s.vectors.size() < 2 ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE;
        return 0;
    };
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1, 2}, {1, 3}});
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, 0}, {{1, 3}, 0}});
    CHECK(s.stats().completed == 3);
    CHECK(s.async_stats().offloads == 0);
}

TEST_CASE("a fence or a future is awaited while others run, then collected once") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.make_async();
    s.put();
    s.put();
    s.settle();
    CHECK(device.launched == 1);
    CHECK(s.collects.empty());
    CHECK(s.stats().ready == 2); // in flight counts as ready
    s.on_loop([&] { s.put(); }); // comes too late for this vector
    CHECK(s.vectors.size() == 1);
    device.finish();
    CHECK(s.until([&] { return s.vectors.size() == 2; }));
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_OK}});
    device.finish();
    CHECK(s.until([&] { return s.ended(3); }));
    CHECK(s.stats().completed == 3);
    CHECK(s.async_stats().offloads == 2);
    CHECK(s.async_stats().offload_errors == 0);
}

TEST_CASE("a token that fired before it was awaited is fine") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE);
    Story s;
    Device device(kind);
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        device.launch(exec);
        device.finish();
        return 0;
    };
    s.make_async();
    s.put();
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("a closure runs on a pool thread and is collected when it has returned") {
    Story s;
    struct Closure {
        std::atomic<bool> ran{false};
        static int run(void* raw) {
            static_cast<Closure*>(raw)->ran = true;
            return -99; // nobody's business but the application's
        }
    } closure;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        *exec = {XTC_BATCH_EXEC_BLOCKING, -1, nullptr, Closure::run, &closure};
        return 0;
    };
    s.make_async({.timeout_ns = 1}); // does not apply
    s.put();
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(closure.ran.load());
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.collects[0].second == XTC_BATCH_EXEC_OK);
    CHECK(s.async_stats().offloads == 1);
}

TEST_CASE("what can not be awaited fails every member with its code and counts as an error") {
    Story s;
    s.make_async();
    xtc_batch_exec_t answer = {0, -1, nullptr, nullptr, nullptr};
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        *exec = answer;
        return 0;
    };
    const int closed = ::eventfd(0, EFD_CLOEXEC);
    ::close(closed);
    const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const xtc_batch_exec_t cases[] = {
        {0, -1, nullptr, nullptr, nullptr},
        {5, -1, nullptr, nullptr, nullptr},
        {-1, -1, nullptr, nullptr, nullptr},
        {XTC_BATCH_EXEC_FENCE, -1, nullptr, nullptr, nullptr},
        {XTC_BATCH_EXEC_FENCE, closed, nullptr, nullptr, nullptr},
        {XTC_BATCH_EXEC_FENCE, file, nullptr, nullptr, nullptr},
        {XTC_BATCH_EXEC_FUTURE, -1, nullptr, nullptr, nullptr},
        {XTC_BATCH_EXEC_BLOCKING, -1, nullptr, nullptr, nullptr},
    };
    uint64_t handle = 0;
    for (const auto& each : cases) {
        answer = each;
        ++handle;
        s.start([&] { s.put(); });
        CHECK(s.until([&] { return s.ended(handle); }));
        CHECK(s.outcome_of(handle) == XTC_E_INVAL);
        CHECK(s.collects.back().second == XTC_E_INVAL);
    }
    CHECK(s.async_stats().offload_errors == handle);
    CHECK(s.stats().failed == handle);
    ::close(file);
}

TEST_CASE("a future's status is collect's status") {
    const auto [set, seen] = GENERATE(table<int, int>({{XTC_OK, XTC_BATCH_EXEC_OK},
                                                       {XTC_E_NOMEM, XTC_E_NOMEM},
                                                       {XTC_E_ABORTED, XTC_E_ABORTED},
                                                       {XTC_E_AGAIN, XTC_E_AGAIN},
                                                       {1, XTC_E_INTERNAL},
                                                       {2, XTC_E_INTERNAL}}));
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.make_async();
    s.put();
    s.settle();
    device.finish(set);
    s.settle();
    REQUIRE(s.collects.size() == 1);
    CHECK(s.collects[0].second == seen);
    CHECK(s.outcome_of(1) == seen);
    if (seen != XTC_OK) CHECK(s.stats().failed == 1); // an ABORTED of the device is a failure, not a cancel
}

TEST_CASE("a dropped promise fails the members as aborted") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.make_async();
    s.put();
    s.settle();
    xtc_promise_drop(std::exchange(device.promise, nullptr));
    s.settle();
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(s.stats().failed == 1);
    CHECK(s.async_stats().offload_errors == 1);
}

TEST_CASE("when the timeout comes first, done is honoured and the rest may not run again") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.on_collect = [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int) {
        results[0].state = XTC_BATCH_DONE;
        results[1].state = XTC_BATCH_CONTINUE;
        results[2] = {XTC_BATCH_ERROR, XTC_E_IO};
        return 0;
    };
    s.make_async({.timeout_ns = 2'000'000, .mt = 4});
    for (int i = 0; i < 3; ++i) s.put();
    // wakes in between must not extend it
    CHECK(s.until([&] {
        if (!s.ended(3)) xtc_batch_cancel_mt(s.group, 1000);
        return s.ended(3);
    }));
    CHECK(s.collects[0].second == XTC_BATCH_EXEC_TIMEOUT);
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_E_AGAIN);
    CHECK(s.outcome_of(3) == XTC_E_IO);
    CHECK(s.async_stats().offload_timeouts == 1);
    CHECK(s.async_stats().offload_errors == 0);
    CHECK(s.vectors.size() == 1);
}

TEST_CASE("a promise set after the timeout, or after destroy, finds nobody and harms nobody") {
    Device device(XTC_BATCH_EXEC_FUTURE);
    {
        Story s;
        device.run_in(s);
        s.make_async({.timeout_ns = 1'000'000});
        s.put();
        CHECK(s.until([&] { return s.ended(1); }));
        CHECK(xtc_promise_abandoned(device.promise) == 1);
        s.end();
    }
    device.finish();
}

TEST_CASE(
    "a submit that fails fails its members; nothing is collected and the future stays the application's") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    xtc_future_t* kept = nullptr;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        device.launch(exec);
        kept = exec->future;
        return static_cast<int>(XTC_E_RESOURCE);
    };
    s.make_async();
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_E_RESOURCE);
    CHECK(s.collects.empty());
    CHECK(s.stats().iterations == 1);
    CHECK(s.async_stats().offload_errors == 0);
    device.finish();
    CHECK(xtc_future_wait(kept, nullptr, 0) == XTC_OK);
}

TEST_CASE("a cancel in flight is hinted at once, waits for collect, and ends the member once") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.make_async();
    s.put();
    s.put();
    s.settle();
    s.on_hint = [&](uint64_t) {
        uint64_t handle = 0;
        CHECK(s.try_submit(1, &handle) == XTC_E_DEADLK);
        CHECK(xtc_batch_cancel(s.group, 2) == XTC_E_DEADLK);
    };
    s.on_loop([&] {
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK);
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK);
    });
    CHECK(s.hints == Handles{1});
    CHECK_FALSE(s.ended(1));
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
    CHECK(s.hints == Handles{1});
    device.finish();
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_OK}});
    CHECK(s.outcome_of(1) == XTC_E_ABORTED); // although collect said done
    CHECK(s.outcome_of(2) == XTC_OK);
    CHECK(s.stats().cancelled == 1);
}

TEST_CASE("a waiting member's cancel does not wait for the operation of others") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.make_async({.capacity = 4, .max_active = 1});
    s.put();
    s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); });
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.hints.empty());
    CHECK_FALSE(s.ended(1));
    device.finish();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("close with cancel ends a fence or future wait at once; collect learns it") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.make_async({.capacity = 4, .max_active = 2});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    s.start([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK); });
    CHECK(s.until([&] { return s.ends.size() == 3; }));
    CHECK(s.hints == Handles{1, 2});
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_ABORTED}});
    for (uint64_t h = 1; h <= 3; ++h) CHECK(s.outcome_of(h) == XTC_E_ABORTED);
    CHECK(s.stats().cancelled == 3);
}

TEST_CASE("close with cancel waits for a closure, which then counts as over") {
    Story s;
    struct Closure {
        std::mutex mutex;
        std::condition_variable changed;
        bool let_go = false;
        static int run(void* raw) {
            auto* self = static_cast<Closure*>(raw);
            std::unique_lock lock(self->mutex);
            self->changed.wait(lock, [self] { return self->let_go; });
            return 0;
        }
        void release() {
            std::lock_guard lock(mutex);
            let_go = true;
            changed.notify_all();
        }
    } closure;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        *exec = {XTC_BATCH_EXEC_BLOCKING, -1, nullptr, Closure::run, &closure};
        return 0;
    };
    s.make_async({.capacity = 4, .max_active = 1});
    s.put();
    s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK); });
    CHECK(s.hints == Handles{1});
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK_FALSE(s.ended(1));
    closure.release();
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.collects[0].second == XTC_BATCH_EXEC_OK);
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
}

TEST_CASE("a resume in flight makes a member that blocks ready again") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async();
    s.put();
    s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_resume(s.group, 1) == XTC_OK); });
    device.finish();
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1, 2}, {1}});
    CHECK(s.stats().blocked == 1);
    device.finish(); // the resume was used up
    s.settle();
    CHECK(s.stats().blocked == 2);
}

TEST_CASE("mail to the driver does not end its wait for a fence") {
    Story s;
    Device device(XTC_BATCH_EXEC_FENCE);
    device.run_in(s);
    s.make_async();
    s.put();
    s.settle();
    s.on_loop([&] {
        for (int i = 0; i < 100; ++i) CHECK(xtc_send(s.driver, "x", 1) == XTC_OK);
        CHECK(xtc_proc_wake(s.driver) == XTC_OK);
    });
    CHECK(s.collects.empty());
    device.finish();
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("a fence whose owner closes it through the library fails as aborted") {
    Story s;
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_FENCE;
        exec->fence_fd = ends[0];
        return 0;
    };
    s.make_async();
    s.put();
    s.settle();
    s.start([&] { xtc_net_close(ends[0]); });
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(s.stats().failed == 1);
    ::close(ends[1]);
}

TEST_CASE("many fence iterations leave the number of descriptors as it was") {
    Story s;
    const auto next_fd = [] {
        const int fd = ::eventfd(0, EFD_CLOEXEC);
        ::close(fd);
        return fd;
    };
    s.make_async();
    s.settle(); // the loop has opened what it needs
    const int before = next_fd();
    int fence = -1;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        fence = ::eventfd(1, EFD_CLOEXEC);
        exec->kind = XTC_BATCH_EXEC_FENCE;
        exec->fence_fd = fence;
        return 0;
    };
    s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int) {
        CHECK(::close(fence) == 0); // still ours
        results[0].state = s.vectors.size() < 100000 ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE;
        return 0;
    };
    s.start([&] { s.put(); });
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(next_fd() == before);
}

TEST_CASE("an operation of no kind is an error, and out_exec arrives empty every time") {
    Story s;
    s.on_submit = launch_nothing;
    s.make_async();
    s.put();
    s.settle();
    s.on_loop([&] { s.put(); });
    CHECK(s.outcome_of(1) == XTC_E_INVAL);
    CHECK(s.outcome_of(2) == XTC_E_INVAL);
    CHECK(s.async_stats().offloads == 0);
    CHECK(s.async_stats().offload_errors == 2);
}
