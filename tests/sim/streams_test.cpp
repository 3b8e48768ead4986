// SPDX-License-Identifier: ISC
#include "streams.hpp"

#include <catch2/catch.hpp>

#include <set>

using xtc::sim::Stream;
using xtc::sim::Streams;

TEST_CASE("streams: every stream of a seed starts differently") {
    Streams streams(42);
    std::set<uint64_t> firsts;
    for (size_t i = 0; i < static_cast<size_t>(Stream::count); i++) {
        firsts.insert(streams[static_cast<Stream>(i)].next());
    }
    CHECK(firsts.size() == static_cast<size_t>(Stream::count));
}

TEST_CASE("streams: drawing from one does not move another") {
    Streams a(42), b(42);
    for (int i = 0; i < 1000; i++) a[Stream::io].next();
    CHECK(a[Stream::sched].next() == b[Stream::sched].next());
    CHECK(a[Stream::io].next() != b[Stream::io].next());
}

TEST_CASE("streams: neighbouring seeds share nothing") {
    Streams a(1), b(2);
    int equal = 0;
    for (int i = 0; i < 1000; i++) equal += a[Stream::sched].next() == b[Stream::sched].next() ? 1 : 0;
    CHECK(equal == 0);
    CHECK(a.seed() == 1);
}
