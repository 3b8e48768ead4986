// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <catch2/catch.hpp>

#include <string>

TEST_CASE("strlcpy: copies what fits, always terminates, returns the whole length", "[base][strings]") {
    char small[4] = "???";
    CHECK(xtc_strlcpy(small, "ab", sizeof(small)) == 2);
    CHECK(std::string(small) == "ab");
    CHECK(xtc_strlcpy(small, "abcdef", sizeof(small)) == 6);
    CHECK(std::string(small) == "abc");
    CHECK(xtc_strlcpy(small, "abc", sizeof(small)) == 3);
    CHECK(std::string(small) == "abc");
}

TEST_CASE("strlcpy: a capacity of zero writes nothing", "[base][strings]") {
    char untouched = '?';
    CHECK(xtc_strlcpy(&untouched, "abc", 0) == 3);
    CHECK(untouched == '?');
}

TEST_CASE("strlcat: appends what fits and returns the length it tried to make", "[base][strings]") {
    char small[6] = "ab";
    CHECK(xtc_strlcat(small, "cd", sizeof(small)) == 4);
    CHECK(std::string(small) == "abcd");
    CHECK(xtc_strlcat(small, "efg", sizeof(small)) == 7);
    CHECK(std::string(small) == "abcde");
}

TEST_CASE("strlcat: a destination without an end in its capacity is left alone", "[base][strings]") {
    char full[3] = {'a', 'b', 'c'};
    CHECK(xtc_strlcat(full, "xy", sizeof(full)) == 5);
    CHECK(full[2] == 'c');
}
