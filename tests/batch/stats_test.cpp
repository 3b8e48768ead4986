// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/stats.hpp"

TEST_CASE("totals stop at the top instead of wrapping") {
    uint64_t total = UINT64_MAX - 1;
    xtc::add_saturating(total, 1);
    CHECK(total == UINT64_MAX);
    xtc::add_saturating(total, 1);
    xtc::add_saturating(total, UINT64_MAX);
    CHECK(total == UINT64_MAX);
    std::atomic<uint64_t> shared{UINT64_MAX - 1};
    xtc::add_saturating(shared, 5);
    xtc::add_saturating(shared, 1);
    CHECK(shared.load() == UINT64_MAX);
}

TEST_CASE("a vector counts once, with its length, and the longest is kept") {
    xtc::GroupStats stats;
    stats.count_vector(3);
    stats.count_vector(5);
    stats.count_vector(2);
    CHECK(stats.iterations == 3);
    CHECK(stats.total_members == 10);
    CHECK(stats.max_vector == 5);
}

TEST_CASE("each ending has a counter of its own") {
    xtc::GroupStats stats;
    stats.count_ending(xtc::Ending::completed);
    stats.count_ending(xtc::Ending::cancelled);
    stats.count_ending(xtc::Ending::cancelled);
    stats.count_ending(xtc::Ending::failed);
    CHECK(stats.completed == 1);
    CHECK(stats.cancelled == 2);
    CHECK(stats.failed == 1);
}
