// SPDX-License-Identifier: ISC
//
// B12: NULL group and foreign loop, callback in flight, arguments, state. callback_test.cpp has the second.
#include "batch/story.hpp"

using story::Story;

TEST_CASE("arguments are looked at before the state, and INVAL before RANGE") {
    Story s;
    s.make_async({.capacity = 1, .max_active = 1, .units = 10, .mt = 1});
    s.put();
    uint64_t handle = 77;
    for (const bool closed : {false, true}) {
        // full, and then closed
        CHECK(s.try_submit(1, nullptr) == XTC_E_INVAL);
        CHECK(s.try_submit(0, nullptr) == XTC_E_INVAL);
        CHECK(s.try_submit(0, &handle) == XTC_E_RANGE);
        CHECK(s.try_submit(11, &handle) == XTC_E_RANGE);
        CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, nullptr) == XTC_E_INVAL);
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 0, nullptr) == XTC_E_INVAL);
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 0, &handle) == XTC_E_RANGE);
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 11, &handle) == XTC_E_RANGE);
        if (!closed) CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    }
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN);
    CHECK(handle == 77);
    CHECK(s.stats().rejections == 10);
    CHECK(s.async_stats().mt_rejections == 1);
}

TEST_CASE("a bad mode is invalid in every state of the group") {
    Story s;
    s.make_sync();
    const auto bad = static_cast<xtc_batch_close_mode>(3);
    CHECK(xtc_batch_close(s.group, bad) == XTC_E_INVAL);
    CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(0)) == XTC_E_INVAL);
    CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(-1)) == XTC_E_INVAL);
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    CHECK(xtc_batch_close(s.group, bad) == XTC_E_INVAL);
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, bad) == XTC_E_INVAL); }); // the driver has gone
}

TEST_CASE("a foreign loop is told so before anything else is looked at") {
    Story s;
    s.make_sync();
    xtc_loop_t* other = nullptr;
    REQUIRE(xtc_loop_init(&other) == XTC_OK);
    const auto ask = [](void* raw) {
        auto* group = static_cast<xtc_batch_t*>(raw);
        uint64_t handle = 0;
        CHECK(xtc_batch_submit(group, nullptr, 0, &handle) == XTC_E_INVAL); // not RANGE
        xtc_batch_stats_t wrong = {};
        CHECK(xtc_batch_get_stats(group, &wrong) == XTC_E_INVAL); // not VERSION
        CHECK(xtc_batch_destroy(group) == XTC_E_INVAL);           // not AGAIN
    };
    REQUIRE(xtc_proc_spawn(other, ask, s.group, nullptr, nullptr) == XTC_OK);
    // Before the owner has run, inside one of its callbacks, and after it: always the same answer.
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        results[0].state = XTC_BATCH_DONE;
        return 0;
    };
    CHECK(xtc_loop_run(other) == XTC_OK);
    s.put();
    s.settle();
    REQUIRE(xtc_proc_spawn(other, ask, s.group, nullptr, nullptr) == XTC_OK);
    CHECK(xtc_loop_run(other) == XTC_OK);
    CHECK(xtc_loop_fini(other) == XTC_OK);
    CHECK(s.stats().rejections == 0);
}

TEST_CASE("options are checked in order: version, size, contents, the sum of the sizes, the loop's state") {
    Story s;
    CHECK(xtc_loop_step(s.loop, 0) == XTC_E_AGAIN); // too late for any group
    xtc_batch_t* group = nullptr;
    auto o = s.opts({});
    o.version = 9;
    o.size = 1;
    o.step = nullptr;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_VERSION);
    o.version = XTC_BATCH_VERSION;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_INVAL);
    o.size = sizeof(o);
    o.capacity = SIZE_MAX;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_INVAL);
    o.step = s.opts({}).step;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_RANGE);
    o.capacity = 8;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_AGAIN);
    CHECK(group == nullptr);
}

TEST_CASE("a size of another version, smaller or larger, is invalid for each descriptor") {
    Story s;
    xtc_batch_t* group = nullptr;
    const auto each = [](size_t right, const auto& answer) {
        for (const size_t size : {size_t{0}, right - 1, right + 1, right + 8, right * 2, SIZE_MAX})
            CHECK(answer(size, XTC_BATCH_VERSION) == XTC_E_INVAL);
        for (const uint32_t version : {0u, 2u, UINT32_MAX}) CHECK(answer(right, version) == XTC_E_VERSION);
    };
    each(sizeof(xtc_batch_opts_t), [&](size_t size, uint32_t version) {
        auto o = s.opts({});
        o.size = size;
        o.version = version;
        return xtc_batch_create(s.loop, &o, &group);
    });
    each(sizeof(xtc_batch_async_opts_t), [&](size_t size, uint32_t version) {
        auto o = s.async_opts({});
        o.size = size;
        o.version = version;
        return xtc_batch_create_async(s.loop, &o, &group);
    });
    CHECK(group == nullptr);
    s.make_async();
    each(sizeof(xtc_batch_stats_t), [&](size_t size, uint32_t version) {
        xtc_batch_stats_t stats = {};
        stats.size = size;
        stats.version = version;
        stats.queued = 77;
        const int rc = xtc_batch_get_stats(s.group, &stats);
        CHECK(stats.queued == 77);
        return rc;
    });
    each(sizeof(xtc_batch_async_stats_t), [&](size_t size, uint32_t version) {
        xtc_batch_async_stats_t stats = {};
        stats.size = size;
        stats.version = version;
        stats.offloads = 77;
        const int rc = xtc_batch_get_async_stats(s.group, &stats);
        CHECK(stats.offloads == 77);
        return rc;
    });
}
