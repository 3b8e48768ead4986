// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

#include "batch/group.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

using story::Handles;
using story::Story;

namespace {

void kill(Story& s) {
    CHECK(xtc_exit_pid(s.driver, 9) == XTC_OK);
}

// However the driver ended: everybody was told once, the group is closed, and it can be destroyed.
void check_after(Story& s, size_t requests) {
    CHECK(s.ends.size() == requests);
    for (uint64_t h = 1; h <= requests; ++h) CHECK(s.outcome_of(h) <= 0);
    const auto stats = s.stats();
    CHECK(stats.completed + stats.cancelled + stats.failed == requests);
    CHECK(stats.queued + stats.ready + stats.blocked + stats.reserved_units == 0);
    s.on_loop([&] {
        uint64_t handle = 0;
        CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK);
        CHECK(xtc_batch_destroy(s.group) == XTC_OK);
    });
    s.group = nullptr;
}

} // namespace

TEST_CASE("a kill of an idle driver fails what is there, once each") {
    Story s;
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.make_sync({.capacity = 4, .max_active = 2});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    s.on_loop([&] {
        CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); // recorded before the kill is seen
        kill(s);
    });
    CHECK(s.outcome_of(1) == XTC_E_INTERNAL);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.outcome_of(3) == XTC_E_INTERNAL);
    check_after(s, 3);
}

TEST_CASE("a driver killed before its first turn still tells everybody") {
    Story s;
    s.make_sync();
    s.put();
    s.put();
    CHECK(xtc_exit_pid(s.group->driver, 9) == XTC_OK);
    s.settle();
    CHECK(s.vectors.empty());
    CHECK(s.outcome_of(1) == XTC_E_INTERNAL);
    check_after(s, 2);
}

TEST_CASE("a kill inside a step waits until the results are recorded, and done stands") {
    Story s;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        kill(s);
        xtc_yield();
        CHECK(xtc_proc_sleep(0) == XTC_OK); // masked
        results[0].state = XTC_BATCH_DONE;
        results[1].state = XTC_BATCH_CONTINUE;
        return 0;
    };
    s.make_sync();
    s.put();
    s.put();
    s.settle();
    CHECK(s.vectors.size() == 1);
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_E_INTERNAL);
    check_after(s, 2);
}

TEST_CASE("a kill ends a fence or future wait; collect runs once, with aborted, after every hint") {
    const bool by_fence = GENERATE(true, false);
    Story s;
    const int fence = ::eventfd(0, EFD_CLOEXEC);
    xtc_promise_t* promise = nullptr;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        exec->kind = by_fence ? XTC_BATCH_EXEC_FENCE : XTC_BATCH_EXEC_FUTURE;
        exec->fence_fd = fence;
        if (!by_fence) CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
        return 0;
    };
    s.make_async({.capacity = 4, .max_active = 2, .mt = 4});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); });
    CHECK(s.hints == Handles{2});
    s.start([&] { kill(s); });
    CHECK(s.until([&] { return s.ends.size() == 3; }));
    s.settle();
    CHECK(s.hints == Handles{2, 1});
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_ABORTED}});
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.outcome_of(3) == XTC_E_INTERNAL);
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_E_INVAL); // the driver is through
    uint64_t handle = 0;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN);
    check_after(s, 3);
    if (!by_fence) CHECK(xtc_promise_set(promise, 0, XTC_OK) == XTC_OK);
    ::close(fence);
}

TEST_CASE("a kill waits for a closure and then counts as aborted") {
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
    } closure;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        *exec = {XTC_BATCH_EXEC_BLOCKING, -1, nullptr, Closure::run, &closure};
        return 0;
    };
    s.make_async();
    s.put();
    s.settle();
    s.on_loop([&] { kill(s); });
    CHECK(s.hints == Handles{1});
    CHECK(s.collects.empty());
    {
        std::lock_guard lock(closure.mutex);
        closure.let_go = true;
        closure.changed.notify_all();
    }
    CHECK(s.until([&] { return s.ended(1); }));
    s.settle();
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1}, XTC_BATCH_EXEC_ABORTED}});
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    check_after(s, 1);
}

TEST_CASE("a driver that leaves from inside a callback never repeats it, and the rest is told") {
    enum Where { in_step, in_complete };
    const Where where = GENERATE(in_step, in_complete);
    Story s;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n) {
        for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_DONE;
        if (where == in_step) xtc_exit_self(3);
        return 0;
    };
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (where == in_complete && handle == 1) xtc_exit_self(3);
    };
    s.make_sync({.capacity = 4, .max_active = 2});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    CHECK(s.vectors.size() == 1);
    const int first_two = where == in_step ? static_cast<int>(XTC_E_INTERNAL) : static_cast<int>(XTC_OK);
    CHECK(s.outcome_of(1) == first_two);
    CHECK(s.outcome_of(2) == first_two); // recorded done survives
    CHECK(s.outcome_of(3) == XTC_E_INTERNAL);
    check_after(s, 3);
}

TEST_CASE("leaving from submit, collect or a hint collects exactly what was outstanding") {
    enum Where { in_submit, in_collect, in_hint };
    const Where where = GENERATE(in_submit, in_collect, in_hint);
    Story s;
    xtc_promise_t* promise = nullptr;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        if (where == in_submit) xtc_exit_self(3);
        exec->kind = XTC_BATCH_EXEC_FUTURE;
        CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
        return 0;
    };
    s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int) {
        if (where == in_collect) xtc_exit_self(3);
        return 0;
    };
    s.on_hint = [&](uint64_t) {
        if (where == in_hint && s.hints.size() == 1) xtc_exit_self(3);
    };
    s.make_async({.capacity = 4, .max_active = 2});
    for (int i = 0; i < 2; ++i) s.put();
    s.settle();
    if (where == in_hint) s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); });
    if (where == in_collect) CHECK(xtc_promise_set(std::exchange(promise, nullptr), 0, XTC_OK) == XTC_OK);
    s.settle();
    switch (where) {
    case in_submit:
        CHECK(s.collects.empty());
        CHECK(s.outcome_of(1) == XTC_E_INTERNAL);
        break;
    case in_collect:
        CHECK(s.collects.size() == 1);
        CHECK(s.outcome_of(1) == XTC_E_INTERNAL);
        break;
    case in_hint:
        CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_ABORTED}});
        CHECK(s.hints == Handles{2, 1});
        CHECK(s.outcome_of(1) == XTC_E_ABORTED);
        break;
    }
    check_after(s, 2);
    xtc_promise_drop(promise);
}
