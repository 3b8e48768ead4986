// SPDX-License-Identifier: ISC
//
// What may be done to a group while one of its callbacks is in flight.
#include "batch/device.hpp"

#include <xtc_blocking.h>

#include <memory>

using story::Device;
using story::Handles;
using story::Story;

namespace {

enum class Where { step, submit, collect, complete, hint };

// Runs one request through a group and calls `inside` once, in the callback that is asked for.
void pass_through(Story& s, Device& device, Where where, const std::function<void()>& inside) {
    const auto was_there = std::make_shared<bool>(false);
    const auto here = [was_there, inside, where](Where at) {
        if (at != where || *was_there) return;
        *was_there = true;
        inside();
    };
    if (where == Where::step) {
        s.on_step = [here](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
            results[0].state = XTC_BATCH_DONE;
            here(Where::step);
            return 0;
        };
        s.make_sync();
    } else {
        s.on_submit = [here, &device](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            here(Where::submit);
            device.launch(exec);
            return 0;
        };
        s.on_collect = [here](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int) {
            results[0].state = XTC_BATCH_DONE;
            here(Where::collect);
            return 0;
        };
        s.on_hint = [here](uint64_t) { here(Where::hint); };
        s.make_async({.mt = 8});
    }
    s.on_complete = [here](uint64_t, void*, int) { here(Where::complete); };
    s.put();
    s.settle();
    if (where != Where::step) {
        if (where == Where::hint) s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
        device.finish();
        s.settle();
    }
    CHECK(*was_there);
    CHECK(s.ended(1));
}

void expect_refusals(Story& s, int* asked) {
    uint64_t handle = 77;
    CHECK(s.try_submit(1, &handle) == XTC_E_DEADLK);
    CHECK(xtc_batch_cancel(s.group, 1) == XTC_E_DEADLK);
    CHECK(xtc_batch_resume(s.group, 1) == XTC_E_DEADLK);
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_E_DEADLK);
    CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_E_DEADLK);
    CHECK(xtc_batch_drain_for(s.group, 0) == XTC_E_DEADLK);
    CHECK(xtc_batch_destroy(s.group) == XTC_E_DEADLK);
    // before the arguments are looked at
    CHECK(s.try_submit(0, &handle) == XTC_E_DEADLK);
    CHECK(s.try_submit(1, nullptr) == XTC_E_DEADLK);
    CHECK(xtc_batch_cancel(s.group, 0) == XTC_E_DEADLK);
    CHECK(xtc_batch_resume(s.group, 99) == XTC_E_DEADLK);
    CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(9)) == XTC_E_DEADLK);
    CHECK(handle == 77);
    ++*asked;
}

struct PlainTask {
    Story* s;
    int* asked;
    static int run(xtc_task_t*, void* raw) {
        auto* self = static_cast<PlainTask*>(raw);
        expect_refusals(*self->s, self->asked);
        return XTC_TASK_DONE;
    }
};

} // namespace

TEST_CASE("every call that changes the group is refused inside every callback, from peers too") {
    const Where where = GENERATE(Where::step, Where::submit, Where::collect, Where::complete, Where::hint);
    CAPTURE(static_cast<int>(where));
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    int asked = 0;
    PlainTask task = {&s, &asked};
    pass_through(s, device, where, [&] {
        expect_refusals(s, &asked);
        s.start([&] { expect_refusals(s, &asked); });
        CHECK(xtc_task_spawn(s.loop, PlainTask::run, &task, nullptr) == XTC_OK);
        while (asked < 3) xtc_yield(); // suspended, still in flight
        expect_refusals(s, &asked);
        CHECK(xtc_proc_sleep(1) == XTC_OK);
        expect_refusals(s, &asked);
    });
    CHECK(asked == 5);
    CHECK(s.stats().rejections == 0); // refused before it was a submission
    s.on_loop([&] { s.put(); });      // and afterwards it is as ever
    if (where != Where::step) device.finish();
    s.settle();
    CHECK(s.outcome_of(2) == XTC_OK);
}

TEST_CASE("every call for threads is accepted inside every callback") {
    const Where where = GENERATE(Where::submit, Where::collect, Where::complete, Where::hint);
    CAPTURE(static_cast<int>(where));
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    uint64_t first = 0, second = 0;
    pass_through(s, device, where, [&] {
        first = s.put_mt();
        second = s.put_mt();
        CHECK(xtc_batch_cancel_mt(s.group, first) == XTC_OK);
        CHECK(xtc_batch_resume_mt(s.group, second) == XTC_OK); // dropped: it waits
    });
    if (device.promise != nullptr) device.finish();
    s.settle();
    CHECK(s.outcome_of(first) == XTC_E_ABORTED);
    CHECK(s.outcome_of(second) == XTC_OK);
}

TEST_CASE("statistics inside a callback show what was committed, not what is being written") {
    const Where where = GENERATE(Where::step, Where::submit, Where::collect, Where::complete, Where::hint);
    CAPTURE(static_cast<int>(where));
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    pass_through(s, device, where, [&] {
        const auto stats = s.stats();
        const bool has_outcome = where == Where::complete;
        CHECK(stats.ready == (has_outcome ? 0 : 1));
        CHECK(stats.reserved_units == (has_outcome ? 0 : 1));
        CHECK(stats.completed + stats.cancelled + stats.failed == 0); // nothing was delivered yet
        CHECK(stats.iterations == 1);
        CHECK(stats.total_members == 1);
        s.async_stats();
    });
    const auto stats = s.stats();
    CHECK(stats.completed + stats.cancelled == 1);
}

TEST_CASE("a kill that comes inside a callback waits until its answers are recorded and told") {
    const Where where = GENERATE(Where::step, Where::submit, Where::collect, Where::complete, Where::hint);
    CAPTURE(static_cast<int>(where));
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    bool came_through = false;
    const auto killed_inside = [&] {
        CHECK(xtc_exit_pid(s.driver, 9) == XTC_OK);
        xtc_yield();
        CHECK(xtc_proc_sleep(1) == XTC_OK);
        int unused = 0;
        CHECK(xtc_blocking_run([](void*) { return 0; }, nullptr, &unused) == XTC_OK);
        came_through = true;
    };
    if (where == Where::submit || where == Where::hint) {
        // The operation is launched after the kill, or still under way: the driver leaves it as aborted.
        s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            if (where == Where::submit) killed_inside();
            device.launch(exec);
            return 0;
        };
        s.on_hint = [&](uint64_t) {
            if (where == Where::hint && !came_through) killed_inside();
        };
        s.make_async();
        s.put();
        s.settle();
        if (where == Where::hint) s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
        CHECK(s.until([&] { return s.ended(1); }));
        CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1}, XTC_BATCH_EXEC_ABORTED}});
        CHECK(s.hints == Handles{1});
        CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    } else {
        s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
            results[0].state = XTC_BATCH_DONE;
            if (where == Where::step) killed_inside();
            return 0;
        };
        s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int) {
            results[0].state = XTC_BATCH_DONE;
            if (where == Where::collect) killed_inside();
            return 0;
        };
        s.on_complete = [&](uint64_t, void*, int) {
            if (where == Where::complete) killed_inside();
        };
        where == Where::collect ? s.make_async() : s.make_sync();
        s.put();
        s.settle();
        CHECK(s.until([&] { return s.stats().completed == 1; }));
        CHECK(s.outcome_of(1) == XTC_OK); // DONE was said, and stands
    }
    CHECK(came_through);
    s.settle();
    s.on_loop([&] {
        uint64_t handle = 0;
        CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN); // the exit closed it
    });
}

TEST_CASE("drain_for on the driver itself, from an exit hook, would wait for itself and is refused") {
    Story s;
    static int answer;
    answer = 1;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        const auto drain = [](void* group) {
            answer = xtc_batch_drain_for(static_cast<xtc_batch_t*>(group), 0);
        };
        CHECK(xtc_proc_at_exit(drain, s.group) == XTC_OK);
        results[0].state = XTC_BATCH_DONE;
        return 0;
    };
    s.make_sync();
    s.put();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK); });
    CHECK(answer == XTC_E_DEADLK);
}

TEST_CASE("a driver that left is closed at once, also while a hook of the application still parks") {
    Story s;
    static Story* self;
    self = &s;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t*, size_t) {
        const auto park = [](void*) {
            self->start([] {
                uint64_t handle = 77;
                CHECK(self->try_submit(1, &handle) == XTC_E_AGAIN);
                CHECK(xtc_batch_submit_mt(self->group, nullptr, 1, &handle) == XTC_E_NOSYS);
                CHECK(handle == 77);
                CHECK(xtc_batch_destroy(self->group) == XTC_E_AGAIN);
            });
            for (int i = 0; i < 4; ++i) xtc_yield();
        };
        CHECK(xtc_proc_at_exit(park, nullptr) == XTC_OK);
        xtc_exit_self(3);
        return 0;
    };
    s.make_sync({.capacity = 8, .max_active = 1});
    s.put();
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_E_INTERNAL);
    CHECK(s.outcome_of(2) == XTC_E_INTERNAL);
    CHECK(s.vectors.size() == 1);
}
