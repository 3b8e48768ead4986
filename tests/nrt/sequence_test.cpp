// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "nrt/sequence.hpp"

using namespace xtc::nrt;

TEST_CASE("A number names its unit, and clients' macros take it apart", "[nrt][sequence]") {
    const UnitId unit{0x7F, NRTA_XU_COLLECTIVES, 2};
    const nrta_seq_t seq = sequence(unit, 5);
    CHECK(seq == 0x7F22'0000'0000'0005ull);
    CHECK(NRTA_SEQ_GET_SEQ_NUM(seq) == 5);
    CHECK(NRTA_SEQ_GET_XU_ID(seq) == NRTA_SEQ_GET_XU_ID(sequence(unit, 6)));
    CHECK(sequence(unit, 6) - seq == 1);
    CHECK(unit_of(seq) == unit);
    CHECK(number_of(seq) == 5);
}

TEST_CASE("What is no unit's number is recognised", "[nrt][sequence]") {
    CHECK(unit_of(sequence({3, NRTA_XU_TENSOR_OP, 1}, 9)) == UnitId{3, NRTA_XU_TENSOR_OP, 1});
    CHECK_FALSE(unit_of(sequence({3, NRTA_XU_TENSOR_OP, 2}, 9)));
    CHECK_FALSE(unit_of(sequence({3, NRTA_XU_COMPUTE, 1}, 9)));
    CHECK_FALSE(unit_of(sequence({3, NRTA_XU_COLLECTIVES, 3}, 9)));
    CHECK_FALSE(unit_of(sequence({3, NRTA_XU_TYPE_NUM, 0}, 9)));
    CHECK_FALSE(unit_of(UINT64_MAX));
}
