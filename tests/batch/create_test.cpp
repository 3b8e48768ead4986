// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

#include <xtc_exec.h>

using story::Story;

TEST_CASE("descriptors are checked, version before size") {
    Story s;
    xtc_batch_t* group = nullptr;
    auto o = s.opts({});
    o.version = 2;
    o.size = 3;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_VERSION);
    o.version = XTC_BATCH_VERSION;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_INVAL);
    auto a = s.async_opts({});
    a.version = 0;
    CHECK(xtc_batch_create_async(s.loop, &a, &group) == XTC_E_VERSION);
    a = s.async_opts({});
    ++a.size;
    CHECK(xtc_batch_create_async(s.loop, &a, &group) == XTC_E_INVAL);
    s.make_sync();
    xtc_batch_stats_t stats = {};
    stats.size = sizeof(stats);
    CHECK(xtc_batch_get_stats(s.group, &stats) == XTC_E_VERSION);
    stats.version = XTC_BATCH_VERSION;
    stats.size = 8;
    CHECK(xtc_batch_get_stats(s.group, &stats) == XTC_E_INVAL);
    xtc_batch_async_stats_t async = {};
    async.size = sizeof(async);
    async.version = 7;
    CHECK(xtc_batch_get_async_stats(s.group, &async) == XTC_E_VERSION);
    CHECK(xtc_batch_get_async_stats(s.group, nullptr) == XTC_E_INVAL);
    CHECK(xtc_batch_get_stats(nullptr, &stats) == XTC_E_INVAL);
    CHECK(group == nullptr);
}

TEST_CASE("options that make no sense are refused") {
    Story s;
    xtc_batch_t* group = nullptr;
    const auto refused = [&](auto change) {
        auto o = s.opts({});
        change(o);
        return xtc_batch_create(s.loop, &o, &group);
    };
    CHECK(refused([](auto& o) { o.step = nullptr; }) == XTC_E_INVAL);
    CHECK(refused([](auto& o) { o.complete = nullptr; }) == XTC_E_INVAL);
    CHECK(refused([](auto& o) { o.max_active = 0; }) == XTC_E_INVAL);
    CHECK(refused([](auto& o) { o.capacity = 3; }) == XTC_E_INVAL);
    CHECK(refused([](auto& o) { o.resource_capacity = 0; }) == XTC_E_INVAL);
    CHECK(refused([](auto& o) { o.capacity = SIZE_MAX; }) == XTC_E_RANGE);
    const auto refused_async = [&](auto change) {
        auto o = s.async_opts({});
        change(o);
        return xtc_batch_create_async(s.loop, &o, &group);
    };
    CHECK(refused_async([](auto& o) { o.submit = nullptr; }) == XTC_E_INVAL);
    CHECK(refused_async([](auto& o) { o.collect = nullptr; }) == XTC_E_INVAL);
    CHECK(refused_async([](auto& o) { o.complete = nullptr; }) == XTC_E_INVAL);
    CHECK(refused_async([](auto& o) { o.exec_timeout_ns = -1; }) == XTC_E_INVAL);
    CHECK(refused_async([](auto& o) { o.mt_queue_cap = (size_t{1} << 31) + 1; }) == XTC_E_RANGE);
    CHECK(refused_async([](auto& o) { o.mt_queue_cap = SIZE_MAX; }) == XTC_E_RANGE);
    const auto o = s.opts({});
    CHECK(xtc_batch_create(nullptr, &o, &group) == XTC_E_INVAL);
    CHECK(xtc_batch_create(s.loop, nullptr, &group) == XTC_E_INVAL);
    CHECK(xtc_batch_create(s.loop, &o, nullptr) == XTC_E_INVAL);
    CHECK(group == nullptr);
    CHECK(xtc_loop_step(s.loop, 0) == XTC_E_AGAIN); // no driver was left behind
}

TEST_CASE("the pools are charged to the loop's accountant, which may refuse them") {
    Story s;
    xtc_res_t* res = xtc_loop_res(s.loop);
    const int64_t cap = 4096;
    xtc_res_set_cap(res, XTC_RES_MEM_BYTES, cap);
    xtc_batch_t* group = nullptr;
    auto o = s.async_opts({.mt = 1024});
    CHECK(xtc_batch_create_async(s.loop, &o, &group) == XTC_E_RESOURCE);
    CHECK(xtc_res_used(res, XTC_RES_MEM_BYTES) == 0);
    s.make_async({.mt = 8});
    CHECK(xtc_res_used(res, XTC_RES_MEM_BYTES) > 8 * 64);
}

TEST_CASE("a group is created before the loop's first step") {
    Story s;
    CHECK(xtc_loop_step(s.loop, 0) == XTC_E_AGAIN);
    const auto o = s.opts({});
    xtc_batch_t* group = nullptr;
    CHECK(xtc_batch_create(s.loop, &o, &group) == XTC_E_AGAIN);
    CHECK(group == nullptr);
}

TEST_CASE("another loop's fibers and, once it runs, plain threads are foreign") {
    Story s;
    s.make_sync();
    xtc_loop_t* other = nullptr;
    REQUIRE(xtc_loop_init(&other) == XTC_OK);
    const auto ask = [](void* raw) {
        auto* group = static_cast<xtc_batch_t*>(raw);
        uint64_t handle = 0;
        xtc_batch_stats_t stats = {sizeof(stats), XTC_BATCH_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        CHECK(xtc_batch_submit(group, nullptr, 1, &handle) == XTC_E_INVAL);
        CHECK(xtc_batch_cancel(group, 1) == XTC_E_INVAL);
        CHECK(xtc_batch_resume(group, 1) == XTC_E_INVAL);
        CHECK(xtc_batch_close(group, XTC_BATCH_DRAIN) == XTC_E_INVAL);
        CHECK(xtc_batch_drain_for(group, 0) == XTC_E_INVAL);
        CHECK(xtc_batch_destroy(group) == XTC_E_INVAL);
        CHECK(xtc_batch_get_stats(group, &stats) == XTC_E_INVAL);
    };
    REQUIRE(xtc_proc_spawn(other, ask, s.group, nullptr, nullptr) == XTC_OK);
    CHECK(xtc_loop_run(other) == XTC_OK);
    CHECK(xtc_loop_fini(other) == XTC_OK);

    s.settle();
    uint64_t handle = 0;
    CHECK(s.try_submit(1, &handle) == XTC_E_INVAL);
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_E_INVAL);
    CHECK(s.stats().queued == 0); // quiescent: allowed
}

TEST_CASE("NULL groups are invalid, and a group without a queue has no calls for threads") {
    Story s;
    s.make_async();
    uint64_t handle = 0;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_NOSYS);
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_E_NOSYS);
    CHECK(xtc_batch_resume_mt(s.group, 1) == XTC_E_NOSYS);
    CHECK(xtc_batch_submit(nullptr, nullptr, 1, &handle) == XTC_E_INVAL);
    CHECK(xtc_batch_submit_mt(nullptr, nullptr, 1, &handle) == XTC_E_INVAL);
    CHECK(xtc_batch_cancel(nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_batch_cancel_mt(nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_batch_resume(nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_batch_resume_mt(nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_batch_close(nullptr, XTC_BATCH_DRAIN) == XTC_E_INVAL);
    CHECK(xtc_batch_destroy(nullptr) == XTC_E_INVAL);
    CHECK(xtc_batch_drain_for(nullptr, 0) == XTC_E_INVAL);
    CHECK(xtc_batch_drain_for(s.group, 0) == XTC_E_INVAL); // not on a fiber
}
