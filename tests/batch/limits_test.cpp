// SPDX-License-Identifier: ISC
//
// The ends of the numbers: handles and totals near UINT64_MAX.
#include "batch/story.hpp"

#include "batch/group.hpp"

#include <algorithm>
#include <set>
#include <thread>

using story::Handles;
using story::Story;

TEST_CASE("the owner's handles end at UINT64_MAX, never wrap, and leave what is there alone") {
    Story s;
    s.make_sync();
    s.group->handles.start_after(UINT64_MAX - 2);
    CHECK(s.put() == UINT64_MAX - 1);
    CHECK(s.put() == UINT64_MAX);
    uint64_t handle = 77;
    for (int i = 0; i < 5; ++i) CHECK(s.try_submit(1, &handle) == XTC_E_RANGE);
    CHECK(handle == 77);
    CHECK(s.stats().rejections == 5);
    CHECK(xtc_batch_cancel(s.group, UINT64_MAX) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(UINT64_MAX - 1) == XTC_OK);
    CHECK(s.outcome_of(UINT64_MAX) == XTC_E_ABORTED);
    s.on_loop([&] { CHECK(s.try_submit(1, &handle) == XTC_E_RANGE); });
}

TEST_CASE("a refused hand-in without a handle gives its record back") {
    Story s;
    s.make_async({.mt = 2});
    s.group->handles.start_after(UINT64_MAX);
    uint64_t handle = 77;
    for (int i = 0; i < 10; ++i) CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_RANGE);
    CHECK(handle == 77);
    CHECK(s.async_stats().mt_rejections == 0); // not for want of room
    CHECK(s.async_stats().mt_queued == 0);
    // Nobody wraps to handle 0, and a control of a stale one does not find it.
    CHECK(xtc_batch_cancel_mt(s.group, 0) == XTC_E_INVAL);
    CHECK(xtc_batch_cancel_mt(s.group, UINT64_MAX) == XTC_OK);
    s.settle();
    CHECK(s.ends.empty());
}

TEST_CASE("threads and the owner that use up the last handles together get each of them once", "[threads]") {
    constexpr uint64_t left = 500;
    constexpr size_t producers = 8;
    Story s;
    s.make_async({.capacity = 16, .max_active = 16, .mt = 64});
    s.group->handles.start_after(UINT64_MAX - left);
    std::vector<Handles> taken(producers + 1);
    std::atomic<int> at_the_end{0};
    std::atomic<int> odd_answers{0};
    std::vector<std::thread> threads;
    const auto take_all = [&](Handles& mine, auto submit, auto back_off) {
        for (int refused = 0; refused < 20;) {
            uint64_t handle = 0;
            const int rc = submit(&handle);
            if (rc == XTC_OK)
                mine.push_back(handle);
            else if (rc == XTC_E_RANGE)
                ++refused;
            else if (rc == XTC_E_AGAIN)
                back_off();
            else
                ++odd_answers;
        }
        ++at_the_end;
    };
    for (size_t p = 0; p < producers; ++p)
        threads.emplace_back([&, p] {
            take_all(
                taken[p], [&](uint64_t* h) { return xtc_batch_submit_mt(s.group, nullptr, 1, h); },
                [] { std::this_thread::yield(); });
        });
    s.start([&] {
        take_all(
            taken[producers], [&](uint64_t* h) { return s.try_submit(1, h); }, [] { xtc_yield(); });
    });
    CHECK(s.until([&] { return at_the_end.load() == producers + 1; }));
    for (auto& thread : threads) thread.join();
    CHECK(s.until([&] { return s.ends.size() == left; }));
    std::set<uint64_t> all;
    for (const Handles& mine : taken) {
        CHECK(std::is_sorted(mine.begin(), mine.end())); // each producer's increase
        all.insert(mine.begin(), mine.end());
    }
    CHECK(odd_answers.load() == 0);
    CHECK(all.size() == left);
    CHECK(*all.begin() == UINT64_MAX - left + 1);
    CHECK(*all.rbegin() == UINT64_MAX);
    for (const uint64_t handle : all) CHECK(s.outcome_of(handle) == XTC_OK);
}

TEST_CASE("every total a group reports stays at the top once it is there") {
    Story s;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        // the second is without a future: an offload and an error
        exec->kind = s.vectors.size() == 1 ? XTC_BATCH_EXEC_SYNC : XTC_BATCH_EXEC_FUTURE;
        return 0;
    };
    s.make_async({.capacity = 2, .max_active = 2, .mt = 1});
    xtc::GroupStats& totals = s.group->stats;
    totals.iterations = totals.total_members = totals.completed = totals.cancelled = totals.failed =
        totals.rejections = totals.offloads = totals.offload_errors = UINT64_MAX;
    totals.offload_timeouts = UINT64_MAX - 1;
    s.group->mt_rejections = UINT64_MAX;
    uint64_t handle = 0;
    s.put();
    s.put();
    CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK);
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    s.put_mt();
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN);
    s.settle();
    s.on_loop([&] { s.put(); });
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.outcome_of(4) == XTC_E_INVAL);
    const auto stats = s.stats();
    for (const uint64_t total : {stats.iterations, stats.total_members, stats.completed, stats.cancelled,
                                 stats.failed, stats.rejections})
        CHECK(total == UINT64_MAX);
    const auto async = s.async_stats();
    CHECK(async.offloads == UINT64_MAX);
    CHECK(async.offload_errors == UINT64_MAX);
    CHECK(async.offload_timeouts == UINT64_MAX - 1);
    CHECK(async.mt_rejections == UINT64_MAX);
}
