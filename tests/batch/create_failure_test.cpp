// SPDX-License-Identifier: ISC
//
// A create that can not have what it needs leaves nothing behind.
#include "batch/allocations.hpp"
#include "batch/story.hpp"

using story::Story;

namespace {

int64_t used(Story& s, xtc_res_kind_t kind) {
    return xtc_res_used(xtc_loop_res(s.loop), kind);
}

} // namespace

TEST_CASE("whichever allocation fails, create says so and there is no group, driver or charge") {
    const bool is_async = GENERATE(false, true);
    Story s;
    xtc_batch_t* const untouched = reinterpret_cast<xtc_batch_t*>(&s);
    xtc_batch_t* group = untouched;
    const auto sync = s.opts({});
    const auto async = s.async_opts({.mt = 16});
    int failures = 0;
    for (uint64_t nth = 1;; ++nth) {
        REQUIRE(nth < 100);
        allocations::fail_at(nth);
        const int rc = is_async ? xtc_batch_create_async(s.loop, &async, &group)
                                : xtc_batch_create(s.loop, &sync, &group);
        const bool has_failed = allocations::has_failed();
        allocations::fail_at(0);
        if (!has_failed) {
            CHECK(rc == XTC_OK);
            break;
        }
        ++failures;
        CHECK(rc == XTC_E_NOMEM);
        CHECK(group == untouched);
        CHECK(used(s, XTC_RES_MEM_BYTES) == 0);
        CHECK(used(s, XTC_RES_TASKS) == 0); // no driver
    }
    CHECK(failures >= (is_async ? 9 : 6)); // the group, its parts, the driver's hooks
    CHECK(used(s, XTC_RES_TASKS) == 1);
    s.group = group; // and this one works
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("an accountant that refuses the driver refuses the group") {
    Story s;
    xtc_res_t* res = xtc_loop_res(s.loop);
    xtc_res_set_cap(res, XTC_RES_TASKS, 1);
    REQUIRE(xtc_proc_spawn(
                s.loop, [](void*) {}, nullptr, nullptr, nullptr) == XTC_OK);
    xtc_batch_t* group = nullptr;
    const auto o = s.async_opts({.mt = 16});
    CHECK(xtc_batch_create_async(s.loop, &o, &group) == XTC_E_RESOURCE);
    CHECK(group == nullptr);
    CHECK(used(s, XTC_RES_MEM_BYTES) == 0);
    xtc_res_set_cap(res, XTC_RES_TASKS, 0);
    s.make_async({.mt = 16});
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("a router that can not be allocated is not made") {
    xtc_batch_t* groups[1] = {reinterpret_cast<xtc_batch_t*>(&groups)};
    xtc_batch_router_t* router = nullptr;
    for (const uint64_t nth : {1, 2}) {
        allocations::fail_at(nth);
        const int rc = xtc_batch_router_create(groups, 1, &router);
        allocations::fail_at(0);
        CHECK(rc == XTC_E_NOMEM);
        CHECK(router == nullptr);
    }
    CHECK(xtc_batch_router_create(groups, 1, &router) == XTC_OK);
    xtc_batch_router_destroy(router);
}
