// SPDX-License-Identifier: ISC
//
// Each end is told once, also when being told is what ends the driver.
#include "batch/device.hpp"

using story::Device;
using story::Handles;
using story::Story;

TEST_CASE("a notification that was interrupted is not repeated, and is counted when it is retired") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 4});
    xtc_batch_stats_t seen = {};
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (handle == 2) {
            seen = s.stats();
            xtc_exit_self(3); // does not come back
        }
    };
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    CHECK(s.ends == std::vector<std::pair<uint64_t, int>>{{1, XTC_OK}, {2, XTC_OK}, {3, XTC_OK}});
    CHECK(seen.completed == 1); // the first had returned, the second was being told
    CHECK(s.stats().completed == 3);
}

TEST_CASE("a callback that tries to leave while the driver is being torn down can not") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    int refused = 0;
    const auto leave = [&] {
        const int rc = xtc_exit_self(3); // the first time it does not return
        CHECK(rc == XTC_E_INVAL);
        ++refused;
    };
    s.on_hint = [&](uint64_t) { leave(); };
    s.on_complete = [&](uint64_t, void*, int) { leave(); };
    s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int) {
        leave();
        return 0;
    };
    s.make_async({.capacity = 4, .max_active = 2});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 3) == XTC_OK); });
    CHECK(s.ends ==
          std::vector<std::pair<uint64_t, int>>{{3, XTC_E_ABORTED}, {1, XTC_E_ABORTED}, {2, XTC_E_ABORTED}});
    CHECK(s.hints == Handles{1, 2});
    CHECK(s.collects == std::vector<std::pair<Handles, int>>{{{1, 2}, XTC_BATCH_EXEC_ABORTED}});
    CHECK(refused == 5); // two hints, collect, two completes
}

TEST_CASE("hints come once for each member, however it was cancelled and however the wait ended") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE, XTC_BATCH_EXEC_BLOCKING);
    const bool with_kill = GENERATE(false, true);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.make_async({.capacity = 4, .max_active = 4, .mt = 8});
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); });
    CHECK(s.hints == Handles{2}); // at once, while the operation goes on
    for (int i = 0; i < 3; ++i) {
        CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_OK);
        CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_OK);
        s.settle();
    }
    CHECK(s.hints == Handles{2, 1});
    CHECK(s.collects.empty());
    s.start([&] {
        CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK);
        if (with_kill) CHECK(xtc_exit_pid(s.driver, 9) == XTC_OK);
    });
    s.settle();
    if (kind == XTC_BATCH_EXEC_BLOCKING) device.finish();
    CHECK(s.until([&] { return s.ends.size() == 3; }));
    CHECK(s.hints == Handles{2, 1, 3});
    CHECK(s.collects.size() == 1);
    CHECK(s.stats().cancelled == 3);
}

TEST_CASE("without a hint callback cancels in flight work the same") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    auto o = s.async_opts({});
    o.cancel_hint = nullptr;
    REQUIRE(xtc_batch_create_async(s.loop, &o, &s.group) == XTC_OK);
    s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
    CHECK(s.hints.empty());
    device.finish();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
}

TEST_CASE("the request is the application's again when complete has returned, and not before collect") {
    const bool by_timeout = GENERATE(false, true);
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    struct Buffer {
        int written = 0;
    };
    auto* buffer = new Buffer;
    std::vector<const char*> order;
    s.on_collect = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t, int) {
        order.push_back("collect");
        CHECK(items[0].request == buffer);
        results[0].state = XTC_BATCH_CONTINUE;
        return 0;
    };
    s.on_complete = [&](uint64_t handle, void* request, int) {
        if (handle != 1) return;
        order.push_back("complete");
        CHECK(request == buffer);
        delete static_cast<Buffer*>(request);
        buffer = nullptr;
    };
    s.make_async({.timeout_ns = by_timeout ? 1'000'000 : 0});
    s.put(1, buffer);
    s.settle();
    ++buffer->written; // the device writes while its operation runs
    if (!by_timeout) {
        s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
        CHECK(order.empty());
        ++buffer->written; // the cancel did not take it away
        device.finish();
    }
    CHECK(s.until([&] { return s.ended(1); }));
    CHECK(order == std::vector<const char*>{"collect", "complete"});
    CHECK(s.outcome_of(1) == (by_timeout ? XTC_E_AGAIN : XTC_E_ABORTED));
    s.on_loop([&] { s.put(); }); // no later vector has that request
    CHECK(s.vectors == std::vector<Handles>{{1}, {2}});
    CHECK(device.launched == 2);
    s.end();
}

TEST_CASE("complete may hand in, resolve a future and send mail to a full box: nothing waits") {
    Story s;
    s.make_async({.capacity = 4, .max_active = 4, .mt = 2});
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    REQUIRE(xtc_future_new_pair(&promise, &future) == XTC_OK);
    xtc_pid_t reader = {};
    xtc_proc_opts_t small = {};
    small.mailbox_cap = 1;
    struct Reader {
        static void run(void* raw) {
            intptr_t value = 0;
            CHECK(xtc_future_await(static_cast<xtc_future_t*>(raw), &value) == XTC_OK);
            CHECK(value == 9);
        }
    };
    REQUIRE(xtc_proc_spawn(s.loop, Reader::run, future, &small, &reader) == XTC_OK);
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (handle != 1) return;
        uint64_t none = 0;
        s.put_mt();
        s.put_mt();
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &none) ==
              XTC_E_AGAIN); // it would be drained by us only
        CHECK(s.try_submit(1, &none) == XTC_E_DEADLK);
        CHECK(xtc_send(reader, "a", 1) == XTC_OK);
        CHECK(xtc_send(reader, "b", 1) != XTC_OK);
        CHECK(xtc_promise_set(promise, 9, XTC_OK) == XTC_OK);
    };
    s.put();
    s.settle();
    CHECK(s.ends.size() == 3);
    CHECK(s.async_stats().mt_rejections == 1);
}

TEST_CASE("an immutable vector of exactly the ready members, collected as it was launched") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    int requests[3];
    std::vector<xtc_batch_item_t> launched;
    s.on_submit = [&](const xtc_batch_item_t* items, size_t n, xtc_batch_exec_t* exec) {
        launched.assign(items, items + n);
        device.launch(exec);
        return 0;
    };
    s.on_collect = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        CHECK(n == launched.size());
        for (size_t i = 0; i < n && i < launched.size(); ++i) {
            CHECK(items[i].handle == launched[i].handle);
            CHECK(items[i].request == launched[i].request);
            results[i].state = XTC_BATCH_DONE;
        }
        return 0;
    };
    s.make_async({.capacity = 8, .max_active = 8, .mt = 4});
    for (int& request : requests) s.put(1, &request);
    s.settle();
    // While it is out: one is cancelled, others come, from here and from elsewhere. The vector stays.
    s.on_loop([&] {
        CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK);
        s.put();
        s.put_mt();
    });
    device.finish();
    s.settle();
    CHECK(launched.size() == 2); // the next has the two that came
    CHECK(s.collects.size() == 1);
    device.finish();
    s.settle();
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.stats().completed == 4);
}
