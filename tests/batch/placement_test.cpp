// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/placement.hpp"

TEST_CASE("the first loop on the device's node is near, loop 0 if none is") {
    const int nodes[] = {-1, 0, 1, 1};
    const auto node_of = [&nodes](int i) { return nodes[i]; };
    CHECK(xtc::nearest_loop(1, 4, node_of) == 2);
    CHECK(xtc::nearest_loop(0, 4, node_of) == 1);
    CHECK(xtc::nearest_loop(5, 4, node_of) == 0);
    CHECK(xtc::nearest_loop(-1, 4, node_of) == 0);
}
