// SPDX-License-Identifier: ISC
//
// A group's sizes as a 32-bit target would compute them, against the same sum in 128 bits.
#include <catch2/catch.hpp>

#include "batch/sizes.hpp"

#include <random>

namespace {

__extension__ using Wide = unsigned __int128;
constexpr Wide kMost32 = 0x7fffffff;

Wide ceil_to_power(Wide n) {
    Wide power = 1;
    while (power < n) power *= 2;
    return power;
}

template <typename Size> Wide exact_handin(Size cap, const xtc::HandinSizes<Size>& each) {
    return Wide{cap} * each.submit_record + Wide{cap} * each.control_record +
           ceil_to_power(Wide{cap} * 2) * each.ring_cell;
}

template <typename Size> Wide exact_slots(Size capacity, Size handins, const xtc::SlotSizes<Size>& each) {
    return Wide{capacity} * each.member + ceil_to_power((Wide{capacity} + handins) * 2) * each.table_entry;
}

// A count near a power of two or anywhere, also at the very ends.
uint32_t any_count(std::mt19937_64& random) {
    switch (random() % 4) {
    case 0:
        return static_cast<uint32_t>(random());
    case 1:
        return static_cast<uint32_t>(random() % 100000);
    case 2:
        return static_cast<uint32_t>((uint64_t{1} << (random() % 33)) + random() % 5 - 2);
    default:
        return UINT32_MAX - static_cast<uint32_t>(random() % 3);
    }
}

} // namespace

TEST_CASE("in 32 bits a sum of sizes is exact or refused, never wrapped") {
    std::mt19937_64 random(32);
    constexpr xtc::HandinSizes<uint32_t> handin = {64, 16, 4};
    constexpr xtc::SlotSizes<uint32_t> slot = {48, 12};
    int refused = 0;
    for (int i = 0; i < 200000; ++i) {
        const uint32_t a = any_count(random), b = any_count(random);
        uint32_t bytes = 77;
        const Wide hand = exact_handin(a, handin);
        if (const int rc = xtc::handin_bytes(a, handin, &bytes); rc == XTC_OK) {
            if (bytes != hand || hand > kMost32) FAIL("hand-ins: " << a);
        } else if (rc != XTC_E_RANGE || (hand <= kMost32 && a <= kMost32 / 2) || bytes != 77) {
            FAIL("hand-ins refused: " << a);
        } else {
            ++refused;
        }
        bytes = 77;
        const Wide slots = exact_slots(a, b, slot);
        if (const int rc = xtc::slot_bytes(a, b, slot, &bytes); rc == XTC_OK) {
            if (bytes != slots || slots > kMost32) FAIL("slots: " << a << " " << b);
        } else if (rc != XTC_E_RANGE || slots <= kMost32 || bytes != 77) {
            FAIL("slots refused: " << a << " " << b);
        } else {
            ++refused;
        }
    }
    CHECK(refused > 1000);
}

TEST_CASE("the largest that fits into 32 bits is accepted and one more is not") {
    constexpr xtc::SlotSizes<uint32_t> slot = {64, 16};
    uint32_t bytes = 0;
    const uint32_t fits = 1u << 24; // 2^30 of slots, 2^29 of table
    CHECK(xtc::slot_bytes(fits, 0u, slot, &bytes) == XTC_OK);
    CHECK(bytes == (1u << 30) + (1u << 29));
    CHECK(xtc::slot_bytes(fits, 1u, slot, &bytes) == XTC_E_RANGE); // the table doubles
    CHECK(xtc::slot_bytes(1u, UINT32_MAX, slot, &bytes) == XTC_E_RANGE);
    CHECK(xtc::slot_bytes(UINT32_MAX, UINT32_MAX, slot, &bytes) == XTC_E_RANGE);
    CHECK(xtc::array_bytes(1u << 26, 32u, &bytes) == XTC_E_RANGE);
    CHECK(xtc::array_bytes((1u << 26) - 1, 32u, &bytes) == XTC_OK);
    CHECK(xtc::array_bytes(1u << 31, 2u, &bytes) == XTC_E_RANGE); // wraps to 0
    CHECK(xtc::add_bytes(0x7fffffffu, 0u, &bytes) == XTC_OK);
    CHECK(xtc::add_bytes(0x7fffffffu, 1u, &bytes) == XTC_E_RANGE);
    CHECK(xtc::add_bytes(UINT32_MAX, 2u, &bytes) == XTC_E_RANGE);
}

TEST_CASE("in 64 bits too, and a queue has at most 2^31 entries") {
    constexpr xtc::HandinSizes<uint64_t> handin = {128, 24, 8};
    constexpr xtc::SlotSizes<uint64_t> slot = {72, 16};
    uint64_t bytes = 0;
    CHECK(xtc::handin_bytes(uint64_t{1} << 31, handin, &bytes) == XTC_OK);
    CHECK(bytes == (uint64_t{1} << 31) * (128 + 24) + (uint64_t{1} << 32) * 8);
    CHECK(xtc::handin_bytes((uint64_t{1} << 31) + 1, handin, &bytes) == XTC_E_RANGE);
    CHECK(xtc::handin_bytes(UINT64_MAX, handin, &bytes) == XTC_E_RANGE);
    CHECK(xtc::slot_bytes(UINT64_MAX, uint64_t{0}, slot, &bytes) == XTC_E_RANGE);
    CHECK(xtc::slot_bytes(UINT64_MAX / 72, uint64_t{0}, slot, &bytes) == XTC_E_RANGE);
    CHECK(xtc::slot_bytes(uint64_t{1} << 20, uint64_t{0}, slot, &bytes) == XTC_OK);
}
