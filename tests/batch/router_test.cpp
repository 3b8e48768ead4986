// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <xtc_batch.h>

TEST_CASE("the same key always goes to the same group, and neighbours to neighbours") {
    char groups_stand_in[3];
    xtc_batch_t* groups[3];
    for (int i = 0; i < 3; ++i) groups[i] = reinterpret_cast<xtc_batch_t*>(&groups_stand_in[i]);
    xtc_batch_router_t* router = nullptr;
    REQUIRE(xtc_batch_router_create(groups, 3, &router) == XTC_OK);
    xtc_batch_t* const first = groups[0];
    groups[0] = nullptr; // the array was copied
    CHECK(xtc_batch_route(router, 0) == first);
    CHECK(xtc_batch_route(router, 7) == groups[1]);
    CHECK(xtc_batch_route(router, UINT64_MAX) == first);
    xtc_batch_router_destroy(router);
}

TEST_CASE("a router refuses nothing, nobody and no place to put it") {
    xtc_batch_router_t* router = nullptr;
    xtc_batch_t* groups[2] = {reinterpret_cast<xtc_batch_t*>(&router), nullptr};
    CHECK(xtc_batch_router_create(nullptr, 1, &router) == XTC_E_INVAL);
    CHECK(xtc_batch_router_create(groups, 0, &router) == XTC_E_INVAL);
    CHECK(xtc_batch_router_create(groups, -1, &router) == XTC_E_INVAL);
    CHECK(xtc_batch_router_create(groups, 2, &router) == XTC_E_INVAL);
    CHECK(xtc_batch_router_create(groups, 1, nullptr) == XTC_E_INVAL);
    CHECK(router == nullptr);
    CHECK(xtc_batch_route(nullptr, 1) == nullptr);
    xtc_batch_router_destroy(nullptr);
}
