// SPDX-License-Identifier: ISC
#include "nrt/sequence.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

// "The nrta_seq_t bit-layout": lnc, queue and unit type, counter.
TEST_CASE("A sequence number says whose it is and the how-many-eth", "[nrt][sequence]") {
    const Sequence sequence(5, NRTA_XU_COLLECTIVES, 2, 0x123456789abc);
    CHECK(sequence.value() == 0x0522123456789abcu);
    const Sequence same(sequence.value());
    CHECK(same.lnc() == 5);
    CHECK(same.queue() == 2);
    CHECK(same.type() == NRTA_XU_COLLECTIVES);
    CHECK(same.counter() == 0x123456789abc);
}

TEST_CASE("Numbers of one queue compare as their counters do", "[nrt][sequence]") {
    const Sequence none(127, NRTA_XU_COMPUTE, 0, 0), first(127, NRTA_XU_COMPUTE, 0, 1);
    CHECK(first.value() - none.value() == 1);
    CHECK(none.counter() == 0);
    CHECK((none.value() >> 48) == (first.value() >> 48));
}
