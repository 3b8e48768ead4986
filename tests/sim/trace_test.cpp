// SPDX-License-Identifier: ISC
#include "trace.hpp"

#include <catch2/catch.hpp>

#include "seam/chooser.h"

using xtc::sim::describe;
using xtc::sim::first_difference;
using xtc::sim::Mark;
using xtc::sim::Trace;

TEST_CASE("trace: the hash depends on every field and on the order") {
    const auto hash_of = [](int64_t time, uint32_t loop, uint32_t kind, uint64_t a, uint64_t b) {
        Trace trace;
        trace.note(1, 0, XTC_NOTE_RUN, 0, 0);
        trace.note(time, loop, kind, a, b);
        return trace.hash();
    };
    const uint64_t base = hash_of(5, 1, XTC_NOTE_WAKE, 7, 8);
    CHECK(hash_of(5, 1, XTC_NOTE_WAKE, 7, 8) == base);
    CHECK(hash_of(6, 1, XTC_NOTE_WAKE, 7, 8) != base);
    CHECK(hash_of(5, 2, XTC_NOTE_WAKE, 7, 8) != base);
    CHECK(hash_of(5, 1, XTC_NOTE_RUN, 7, 8) != base);
    CHECK(hash_of(5, 1, XTC_NOTE_WAKE, 8, 8) != base);
    CHECK(hash_of(5, 1, XTC_NOTE_WAKE, 7, 7) != base);

    Trace ab, ba;
    ab.note(1, 0, 1, 1, 0);
    ab.note(1, 0, 1, 2, 0);
    ba.note(1, 0, 1, 2, 0);
    ba.note(1, 0, 1, 1, 0);
    CHECK(ab.hash() != ba.hash());
}

TEST_CASE("trace: the ring keeps the last events, oldest first") {
    Trace trace(4);
    for (uint64_t i = 0; i < 10; i++) trace.note(static_cast<int64_t>(i), 0, XTC_NOTE_RUN, i, 0);
    const auto kept = trace.kept();
    REQUIRE(kept.size() == 4);
    for (uint64_t i = 0; i < 4; i++) CHECK(kept[i].a == 6 + i);
    CHECK(trace.count() == 10);
}

TEST_CASE("trace: what is kept does not change the hash") {
    Trace ring(2), whole(2);
    whole.keep_all();
    for (uint64_t i = 0; i < 10; i++) {
        ring.note(0, 0, XTC_NOTE_RUN, i, 0);
        whole.note(0, 0, XTC_NOTE_RUN, i, 0);
    }
    CHECK(ring.hash() == whole.hash());
    CHECK(whole.kept().size() == 10);
}

TEST_CASE("trace: equal runs have no first difference") {
    Trace a, b;
    for (uint64_t i = 0; i < 10; i++) {
        a.note(0, 0, XTC_NOTE_RUN, i, 0);
        b.note(0, 0, XTC_NOTE_RUN, i, 0);
    }
    CHECK_FALSE(first_difference(a, b).has_value());
}

TEST_CASE("trace: the first difference is named by number and by both events") {
    Trace a, b;
    a.keep_all();
    b.keep_all();
    for (uint64_t i = 0; i < 10; i++) {
        a.note(0, 0, XTC_NOTE_RUN, i, 0);
        b.note(0, 0, i < 6 ? XTC_NOTE_RUN : XTC_NOTE_WAKE, i, 0);
    }
    const auto difference = first_difference(a, b);
    REQUIRE(difference);
    CHECK(difference->number == 6);
    CHECK(difference->left.find("run") != std::string::npos);
    CHECK(difference->right.find("wake") != std::string::npos);
}

TEST_CASE("trace: a run that goes on longer differs where the other ended") {
    Trace a, b;
    a.note(0, 0, XTC_NOTE_RUN, 1, 0);
    b.note(0, 0, XTC_NOTE_RUN, 1, 0);
    b.note(0, 0, XTC_NOTE_EXIT, 1, 0);
    const auto difference = first_difference(a, b);
    REQUIRE(difference);
    CHECK(difference->number == 1);
    CHECK(difference->left == "(ended)");
}

TEST_CASE("trace: rings of different length are compared as far back as both reach") {
    Trace a(4), b(2);
    for (uint64_t i = 0; i < 8; i++) {
        a.note(0, 0, XTC_NOTE_RUN, i, 0);
        b.note(0, 0, XTC_NOTE_RUN, i == 7 ? 99 : i, 0);
    }
    const auto difference = first_difference(a, b);
    REQUIRE(difference);
    CHECK(difference->number == 7);
}

TEST_CASE("trace: a line says when, where and what") {
    CHECK(describe({1500, 1, XTC_NOTE_WAKE, 3, 4}).find("loop 1") != std::string::npos);
    CHECK(describe({1500, Trace::no_loop, static_cast<uint32_t>(Mark::jump), 3, 4}).find("world") !=
          std::string::npos);
}
