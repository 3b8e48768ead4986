// SPDX-License-Identifier: ISC
#include "base/rand.hpp"

#include "base/thread.hpp"

#include <xtc.h>

#include <catch2/catch.hpp>

TEST_CASE("rand: a seed gives the published splitmix64 sequence", "[base][rand]") {
    // The first outputs for seed 1234567, as in the generator's reference implementation.
    xtc_rand_seed(1234567);
    CHECK(xtc_rand_u64() == 6457827717110365317u);
    CHECK(xtc_rand_u64() == 3203168211198807973u);
    CHECK(xtc_rand_u64() == 9817491932198370423u);
}

TEST_CASE("rand: the same seed gives the same numbers again", "[base][rand]") {
    xtc_rand_seed(7);
    const uint64_t first = xtc_rand_u64();
    const uint64_t second = xtc_rand_u64();
    xtc_rand_seed(7);
    CHECK(xtc_rand_u64() == first);
    CHECK(xtc_rand_u64() == second);
}

TEST_CASE("rand: each thread has a sequence of its own, seeded by itself", "[base][rand][threads]") {
    uint64_t drawn[2] = {};
    for (uint64_t& out : drawn) {
        xtc::Thread thread;
        REQUIRE(thread.start(
                    "draw", [](void* to) { *static_cast<uint64_t*>(to) = xtc_rand_u64(); }, &out) == XTC_OK);
        thread.join();
    }
    CHECK(drawn[0] != drawn[1]);

    xtc_rand_seed(7);
    const uint64_t first = xtc_rand_u64();
    xtc_rand_seed(7);
    xtc::Thread other;
    REQUIRE(other.start(
                "seed", [](void*) { xtc_rand_seed(9); }, nullptr) == XTC_OK);
    other.join();
    CHECK(xtc_rand_u64() == first);
}
