// SPDX-License-Identifier: ISC
#include "timeline.hpp"

#include <catch2/catch.hpp>

#include <vector>

using xtc::sim::Timeline;

TEST_CASE("timeline: nothing runs before its time, and time does not move by itself") {
    Timeline timeline(100);
    int ran = 0;
    timeline.at(200, [&] { ran++; });
    CHECK_FALSE(timeline.run_due());
    CHECK(timeline.now() == 100);
    CHECK(timeline.next_time() == 200);
    timeline.advance(99);
    timeline.run_due();
    CHECK(ran == 0);
    timeline.advance(1);
    CHECK(timeline.run_due());
    CHECK(ran == 1);
    CHECK(timeline.next_time() == Timeline::never);
}

TEST_CASE("timeline: events run in order of time, then in order of making") {
    Timeline timeline(0);
    std::vector<int> order;
    timeline.at(20, [&] { order.push_back(3); });
    timeline.at(10, [&] { order.push_back(1); });
    timeline.at(10, [&] { order.push_back(2); });
    timeline.advance_to(30);
    timeline.run_due();
    CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("timeline: a revoked event does not run and is no reason to wake up") {
    Timeline timeline(0);
    int ran = 0;
    const uint64_t id = timeline.at(10, [&] { ran++; });
    timeline.at(50, [] {});
    CHECK(timeline.revoke(id));
    CHECK_FALSE(timeline.revoke(id));
    CHECK(timeline.next_time() == 50);
    timeline.advance_to(60);
    timeline.run_due();
    CHECK(ran == 0);
}

TEST_CASE("timeline: an event may make another one that is due at once") {
    Timeline timeline(0);
    int ran = 0;
    timeline.at(10, [&] { timeline.at(10, [&] { ran++; }); });
    timeline.advance_to(10);
    timeline.run_due();
    CHECK(ran == 1);
}

TEST_CASE("timeline: time stops short of the end instead of wrapping") {
    Timeline timeline(Timeline::never - 10);
    timeline.advance(1000);
    CHECK(timeline.now() == Timeline::never - 1);
    timeline.advance_to(5);
    CHECK(timeline.now() == Timeline::never - 1);
}
