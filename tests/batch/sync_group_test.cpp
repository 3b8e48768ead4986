// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

using story::Handles;
using story::Story;

TEST_CASE("ready members come in one vector, in order of arrival, and end as they say") {
    Story s;
    s.make_sync();
    s.on_step = [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        results[0] = {XTC_BATCH_DONE, 0};
        results[1] = {XTC_BATCH_ERROR, XTC_E_IO};
        return 0; // the third is left out
    };
    int a, b;
    const uint64_t first = s.put(1, &a), second = s.put(1, &b), third = s.put();
    CHECK(Handles{first, second, third} == Handles{1, 2, 3});
    std::map<uint64_t, void*> requests;
    s.on_complete = [&](uint64_t handle, void* request, int) { requests[handle] = request; };
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1, 2, 3}});
    CHECK(s.outcome_of(first) == XTC_OK);
    CHECK(s.outcome_of(second) == XTC_E_IO);
    CHECK(s.outcome_of(third) == XTC_E_INTERNAL);
    CHECK(requests == std::map<uint64_t, void*>{{first, &a}, {second, &b}, {third, nullptr}});
    const auto stats = s.stats();
    CHECK(stats.completed == 1);
    CHECK(stats.failed == 2);
    CHECK(stats.iterations == 1);
    CHECK(stats.total_members == 3);
    CHECK(stats.max_vector == 3);
    CHECK(stats.queued + stats.ready + stats.blocked + stats.reserved_units == 0);
}

TEST_CASE("finished members leave and waiting ones refill at the next boundary") {
    Story s;
    s.make_sync({.capacity = 8, .max_active = 2});
    std::map<uint64_t, int> turns;
    s.on_step = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n) {
        for (size_t i = 0; i < n; ++i)
            results[i].state = ++turns[items[i].handle] == static_cast<int>(items[i].handle)
                                   ? XTC_BATCH_DONE
                                   : XTC_BATCH_CONTINUE;
        return 0;
    };
    for (int i = 0; i < 4; ++i) s.put();
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1, 2}, {2, 3}, {3, 4}, {3, 4}, {4}, {4}});
    CHECK(s.stats().completed == 4);
}

TEST_CASE("a younger request does not pass an older one whose charge does not fit") {
    Story s;
    s.make_sync({.capacity = 8, .max_active = 4, .units = 10});
    s.on_step = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n) {
        for (size_t i = 0; i < n; ++i)
            results[i].state =
                items[i].handle == 1 && s.vectors.size() < 3 ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE;
        return 0;
    };
    s.put(4);
    s.put(7); // must wait for the first to end
    s.put(1); // would fit, but is younger
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1}, {1}, {1}, {2, 3}});
    CHECK(s.stats().max_vector == 2);
}

TEST_CASE("slots are waiting and active requests together, and a full group says so") {
    Story s;
    s.make_sync({.capacity = 3, .max_active = 1});
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    for (int i = 0; i < 3; ++i) s.put();
    uint64_t handle = 77;
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    CHECK(handle == 77);
    s.settle();
    const auto stats = s.stats();
    CHECK(stats.queued == 2);
    CHECK(stats.blocked == 1);
    CHECK(stats.reserved_units == 1);
    CHECK(stats.rejections == 1);
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
    CHECK(s.vectors == std::vector<Handles>{{1}, {2}});
    s.on_loop([&] { CHECK(s.try_submit(1, &handle) == XTC_OK); });
    CHECK(handle == 4);
}

TEST_CASE("charges outside one to the capacity are out of range, and are counted") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 4, .units = 10});
    uint64_t handle = 77;
    CHECK(s.try_submit(0, &handle) == XTC_E_RANGE);
    CHECK(s.try_submit(11, &handle) == XTC_E_RANGE);
    CHECK(xtc_batch_submit(s.group, nullptr, 1, nullptr) == XTC_E_INVAL);
    CHECK(handle == 77);
    CHECK(s.try_submit(10, &handle) == XTC_OK);
    CHECK(s.stats().rejections == 3);
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("a nonzero step fails the whole vector and nothing is tried again") {
    Story s;
    s.make_sync();
    int rc = XTC_E_NOMEM;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        results[0].state = XTC_BATCH_DONE;
        return rc;
    };
    s.put();
    s.put();
    s.settle();
    rc = 5;
    s.on_loop([&] { s.put(); });
    CHECK(s.outcome_of(1) == XTC_E_NOMEM);
    CHECK(s.outcome_of(2) == XTC_E_NOMEM);
    CHECK(s.outcome_of(3) == XTC_E_INTERNAL);
    CHECK(s.vectors.size() == 2);
}

TEST_CASE("a blocked member keeps its slot and units and uses no turn until it is resumed") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 2, .units = 10});
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.put(6);
    s.settle();
    const auto iterations = s.stats().iterations;
    CHECK(xtc_loop_step(s.loop, 0) == XTC_E_AGAIN); // nothing wakes
    CHECK(s.stats().blocked == 1);
    CHECK(s.stats().reserved_units == 6);
    s.on_loop([&] { s.put(5); });
    CHECK(s.stats().iterations == iterations); // 5 does not fit beside 6
    s.on_step = Story::everyone(XTC_BATCH_DONE);
    s.on_loop([&] {
        CHECK(xtc_batch_resume(s.group, 1) == XTC_OK);
        CHECK(xtc_batch_resume(s.group, 1) == XTC_OK);
        CHECK(xtc_batch_resume(s.group, 2) == XTC_E_INVAL); // it waits
        CHECK(xtc_batch_resume(s.group, 9) == XTC_E_INVAL);
    });
    CHECK(s.vectors == std::vector<Handles>{{1}, {1}, {2}});
    s.on_loop([&] { CHECK(xtc_batch_resume(s.group, 1) == XTC_E_INVAL); });
}

TEST_CASE("a cancel keeps a request out of the next vector and ends it once, as aborted") {
    Story s;
    s.make_sync({.capacity = 6, .max_active = 2});
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    for (int i = 0; i < 4; ++i) s.put();
    CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); // waiting
    CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK);
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1, 3}});
    s.on_loop([&] {
        CHECK(xtc_batch_cancel(s.group, 2) == XTC_E_INVAL); // told already
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK);      // blocked
        CHECK(xtc_batch_cancel(s.group, 0) == XTC_E_INVAL);
        CHECK(xtc_batch_cancel(s.group, 99) == XTC_E_INVAL);
    });
    CHECK(s.vectors == std::vector<Handles>{{1, 3}, {4}});
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.stats().cancelled == 2);
}

TEST_CASE("mutators are refused while a callback is in flight, also from peers, and statistics are not") {
    Story s;
    s.make_sync();
    int asked = 0;
    const auto ask_all = [&] {
        uint64_t handle = 0;
        CHECK(s.try_submit(1, &handle) == XTC_E_DEADLK);
        CHECK(s.try_submit(0, &handle) == XTC_E_DEADLK);
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_E_DEADLK);
        CHECK(xtc_batch_resume(s.group, 1) == XTC_E_DEADLK);
        CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(9)) == XTC_E_DEADLK);
        CHECK(xtc_batch_drain_for(s.group, 0) == XTC_E_DEADLK);
        CHECK(xtc_batch_destroy(s.group) == XTC_E_DEADLK);
        CHECK(s.stats().ready == (asked == 0 || asked == 1 ? 1 : 0));
        ++asked;
    };
    const auto with_peer = [&] {
        ask_all();
        s.start(ask_all);
        for (int i = 0; i < 3; ++i) xtc_yield();
    };
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        with_peer();
        results[0].state = XTC_BATCH_DONE;
        return 0;
    };
    s.on_complete = [&](uint64_t, void*, int) {
        CHECK(s.stats().completed == 0); // counted when we have returned
        with_peer();
    };
    s.put();
    s.settle();
    CHECK(asked == 4);
    CHECK(s.stats().completed == 1);
    CHECK(s.stats().rejections == 0);
}

TEST_CASE("the driver lets others run between iterations") {
    Story s;
    s.make_sync();
    int peer_runs = 0;
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        results[0].state = s.vectors.size() < 10 ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE;
        return 0;
    };
    s.put();
    s.start([&] {
        while (!s.ended(1)) {
            ++peer_runs;
            xtc_yield();
        }
    });
    s.settle();
    CHECK(peer_runs >= 9);
}

TEST_CASE("after any number of members that end at once the group takes more") {
    const size_t k = GENERATE(1, 3, 4, 5, 8);
    Story s;
    s.make_sync({.capacity = 8, .max_active = 4});
    for (int round = 0; round < 50; ++round) {
        s.on_loop([&] {
            for (size_t i = 0; i < k; ++i) s.put();
        });
        s.on_loop([&] { s.put(); });
    }
    CHECK(s.ends.size() == 50 * (k + 1));
    CHECK(s.stats().completed == 50 * (k + 1));
    CHECK(s.stats().max_vector <= 4);
}

TEST_CASE("a synchronous group has no asynchronous totals and no calls for threads") {
    Story s;
    s.make_sync({.capacity = 2, .max_active = 2});
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        results[0] = {XTC_BATCH_ERROR, XTC_E_IO};
        return s.vectors.size() == 1 ? 0 : static_cast<int>(XTC_E_IO);
    };
    uint64_t handle = 77;
    s.put();
    s.put();
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_NOSYS);
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 0, nullptr) == XTC_E_NOSYS);
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_E_NOSYS);
    CHECK(xtc_batch_resume_mt(s.group, 1) == XTC_E_NOSYS);
    CHECK(handle == 77);
    s.settle();
    const auto async = s.async_stats();
    CHECK(async.offloads + async.offload_timeouts + async.offload_errors + async.mt_queued +
              async.mt_rejections ==
          0);
}

TEST_CASE("other result states do not look at the error field") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 4});
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n) {
        const bool is_first = s.vectors.size() == 1;
        results[0] = {XTC_BATCH_DONE, XTC_E_IO};
        if (n > 1) results[1] = {is_first ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE, 12345};
        if (n > 2) results[2] = {XTC_BATCH_BLOCKED, XTC_E_NOMEM};
        return 0;
    };
    for (int i = 0; i < 3; ++i) s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_OK);
    CHECK(s.stats().blocked == 1);
}
