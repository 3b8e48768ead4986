// SPDX-License-Identifier: ISC
#include "nrt/package/gzip_trailer.hpp"

#include "gzip_of.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

TEST_CASE("the checksum is the one of gzip, for any length") {
    CHECK(crc32(test::bytes_of("")) == 0);
    CHECK(crc32(test::bytes_of("123456789")) == 0xcbf43926u);
    CHECK(crc32(test::bytes_of("The quick brown fox jumps over the lazy dog")) == 0x414fa339u);
    CHECK(crc32(test::bytes_of("a")) == 0xe8b7be43u);
}

TEST_CASE("a trailer is the last eight bytes of a file that can have one") {
    const test::Bytes gzip = test::gzip_of(test::bytes_of("123456789"));
    CHECK(is_gzip(gzip));
    const auto trailer = gzip_trailer(gzip);
    REQUIRE(trailer);
    CHECK(trailer->crc == 0xcbf43926u);
    CHECK(trailer->size == 9);
    CHECK(!gzip_trailer(std::span(gzip).first(17)));
    CHECK(!is_gzip(std::span(gzip).first(1)));
    CHECK(!is_gzip(test::bytes_of("PK")));
}
