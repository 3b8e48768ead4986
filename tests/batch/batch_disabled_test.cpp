// SPDX-License-Identifier: ISC
//
// For a build with -Dsched_policy=false.
#include <catch2/catch.hpp>

#include <xtc_batch.h>

TEST_CASE("a build without scheduling policy says so before it looks at anything") {
    xtc_batch_t* group = nullptr;
    xtc_batch_router_t* router = nullptr;
    uint64_t handle = 77;
    CHECK(xtc_batch_create(nullptr, nullptr, &group) == XTC_E_NOSYS);
    CHECK(xtc_batch_create_async(nullptr, nullptr, nullptr) == XTC_E_NOSYS);
    CHECK(xtc_batch_submit(nullptr, nullptr, 0, &handle) == XTC_E_NOSYS);
    CHECK(xtc_batch_submit_mt(nullptr, nullptr, 0, &handle) == XTC_E_NOSYS);
    CHECK(xtc_batch_cancel(nullptr, 0) == XTC_E_NOSYS);
    CHECK(xtc_batch_cancel_mt(nullptr, 0) == XTC_E_NOSYS);
    CHECK(xtc_batch_resume(nullptr, 0) == XTC_E_NOSYS);
    CHECK(xtc_batch_resume_mt(nullptr, 0) == XTC_E_NOSYS);
    CHECK(xtc_batch_close(nullptr, XTC_BATCH_DRAIN) == XTC_E_NOSYS);
    CHECK(xtc_batch_drain_for(nullptr, 0) == XTC_E_NOSYS);
    CHECK(xtc_batch_destroy(nullptr) == XTC_E_NOSYS);
    CHECK(xtc_batch_get_stats(nullptr, nullptr) == XTC_E_NOSYS);
    CHECK(xtc_batch_get_async_stats(nullptr, nullptr) == XTC_E_NOSYS);
    CHECK(xtc_batch_router_create(nullptr, 0, &router) == XTC_E_NOSYS);
    CHECK(xtc_batch_route(nullptr, 1) == nullptr);
    xtc_batch_router_destroy(nullptr);
    CHECK(group == nullptr);
    CHECK(router == nullptr);
    CHECK(handle == 77);
}

TEST_CASE("without scheduling policy every device is nearest to loop 0") {
    int near = 9;
    CHECK(xtc_batch_loop_for_device(nullptr, nullptr, &near) == XTC_E_NOSYS);
    CHECK(near == 0);
    CHECK(xtc_batch_loop_for_device(nullptr, nullptr, nullptr) == XTC_E_NOSYS);
}
