// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/admission.hpp"

#include <numeric>
#include <random>
#include <vector>

using xtc::admit_from_head;
using xtc::Room;

TEST_CASE("who is admitted fits, is a prefix, and one more would not fit") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::vector<uint64_t> charges(random() % 12);
        const uint64_t largest = uint64_t{1} << (random() % 63);
        for (uint64_t& charge : charges) charge = 1 + random() % largest;
        const Room room{static_cast<size_t>(random() % 12), random() % (largest * 2)};
        const size_t n = admit_from_head(charges.begin(), charges.end(), room);
        if (n > charges.size() || n > room.slots) FAIL("more than there are or may be");
        uint64_t left = room.units;
        for (size_t i = 0; i < n; ++i) {
            if (charges[i] > left) FAIL("does not fit");
            left -= charges[i];
        }
        if (n < charges.size() && n < room.slots && charges[n] <= left) FAIL("one more would have fitted");
        if (admit_from_head(charges.begin(), charges.end(), room) != n) FAIL("not the same again");
    }
    SUCCEED();
}

TEST_CASE("a younger request never passes an older one that does not fit") {
    const std::vector<uint64_t> charges = {3, 8, 1, 1};
    CHECK(admit_from_head(charges.begin(), charges.end(), Room{4, 10}) == 1);
    CHECK(admit_from_head(charges.begin(), charges.end(), Room{4, 11}) == 2);
    CHECK(admit_from_head(charges.begin(), charges.end(), Room{4, 13}) == 4);
    CHECK(admit_from_head(charges.begin(), charges.end(), Room{0, 13}) == 0);
}

TEST_CASE("charges whose sum would overflow do not slip in") {
    const std::vector<uint64_t> charges = {UINT64_MAX, UINT64_MAX};
    CHECK(admit_from_head(charges.begin(), charges.end(), Room{2, UINT64_MAX}) == 1);
}
