// SPDX-License-Identifier: ISC
#include "soak/nrt_package_fuzz.hpp"

#include <catch2/catch.hpp>

TEST_CASE("thousands of random packages are taken or refused as they should be") {
    fuzz::Tally tally;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        const std::string wrong = fuzz::fuzz_package(seed, tally);
        INFO("seed " << seed);
        REQUIRE(wrong == "");
    }
    CHECK(tally.accepted > 500);
    CHECK(tally.refused > 500);
}
