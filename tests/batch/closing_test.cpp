// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/closing.hpp"

using xtc::Closing;

TEST_CASE("closing goes forward only and hands out a cancel once") {
    Closing closing;
    CHECK_FALSE(closing.is_closed());
    closing.advance(XTC_BATCH_DRAIN);
    CHECK(closing.is_closed());
    CHECK_FALSE(closing.is_cancelled());
    CHECK_FALSE(closing.take_cancel_due());
    closing.advance(XTC_BATCH_CANCEL);
    CHECK(closing.is_cancelled());
    CHECK(closing.take_cancel_due());
    CHECK_FALSE(closing.take_cancel_due());
    closing.advance(XTC_BATCH_CANCEL);
    closing.advance(XTC_BATCH_DRAIN);
    CHECK(closing.is_cancelled());
    CHECK_FALSE(closing.take_cancel_due());
}

TEST_CASE("only drain and cancel are modes") {
    for (int mode = -2; mode < 6; ++mode) CHECK(Closing::is_mode(mode) == (mode == 1 || mode == 2));
}
