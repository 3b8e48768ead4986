// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <catch2/catch.hpp>

#include <climits>
#include <string>
#include <utility>

TEST_CASE("strerror: each code has its number and its text", "[base][strerror]") {
    const std::pair<int, const char*> texts[] = {
        {0, "ok"},
        {-1, "invalid argument"},
        {-2, "out of memory"},
        {-3, "not implemented on this platform"},
        {-4, "numeric out of range"},
        {-5, "resource temporarily unavailable"},
        {-6, "internal invariant violation"},
        {-7, "resource cap reached"},
        {-8, "deadlock victim"},
        {-9, "version mismatch"},
        {-10, "operation aborted"},
        {-11, "requested item does not exist"},
        {-12, "I/O error"},
    };
    for (const auto& [code, text] : texts) CHECK(std::string(xtc_strerror(code)) == text);
    CHECK(XTC_OK == 0);
    CHECK(XTC_E_INVAL == -1);
    CHECK(XTC_E_AGAIN == -5);
    CHECK(XTC_E_ABORTED == -10);
    CHECK(XTC_E_NOTFOUND == -11);
    CHECK(XTC_E_IO == -12);
}

TEST_CASE("strerror: any other number is unknown", "[base][strerror]") {
    for (const int code : {1, -13, -9999, INT_MAX, INT_MIN})
        CHECK(std::string(xtc_strerror(code)) == "unknown");
}
