// SPDX-License-Identifier: ISC
#include "nrt/package/half.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <initializer_list>

using namespace xtc::nrt;

namespace {

// The value by its definition, without looking at a float's bits.
double float16_value(uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

} // namespace

TEST_CASE("every float16 is the value its definition gives, and comes back") {
    int wrong = 0;
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const Float16 half{static_cast<uint16_t>(bits)};
        const double value = float16_value(half.bits);
        const float wide = to_float(half);
        if (std::isnan(value))
            wrong += !std::isnan(wide) || !std::isnan(float16_value(to_float16(wide).bits));
        else
            wrong += static_cast<double>(wide) != value || std::signbit(wide) != std::signbit(value) ||
                     to_float16(wide).bits != half.bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a float between two float16 goes to the nearer, a tie to the even one") {
    int wrong = 0;
    for (uint32_t bits = 0; bits < 0x7bff; ++bits) { // every positive pair of neighbours
        const auto low = static_cast<uint16_t>(bits);
        const auto high = static_cast<uint16_t>(bits + 1);
        const double a = float16_value(low), b = float16_value(high);
        const auto middle = static_cast<float>((a + b) / 2); // exact
        const uint16_t even = (low & 1) == 0 ? low : high;
        wrong += to_float16(middle).bits != even;
        wrong += to_float16(std::nextafter(middle, 0.0f)).bits != low;
        wrong += to_float16(std::nextafter(middle, INFINITY)).bits != high;
        wrong += to_float16(-middle).bits != (even | 0x8000);
    }
    CHECK(wrong == 0);
    CHECK(to_float16(65519.996f).bits == 0x7bff);
    CHECK(to_float16(65520.0f).bits == 0x7c00);
    CHECK(to_float16(INFINITY).bits == 0x7c00);
    CHECK(to_float16(1e-30f).bits == 0);
    CHECK(to_float16(-1e-30f).bits == 0x8000);
}

TEST_CASE("every bfloat16 comes back, and rounding goes to the nearest even") {
    int wrong = 0;
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const Bfloat16 value{static_cast<uint16_t>(bits)};
        const float wide = to_float(value);
        wrong += std::isnan(wide) ? !std::isnan(to_float(to_bfloat16(wide)))
                                  : to_bfloat16(wide).bits != value.bits;
    }
    CHECK(wrong == 0);
    CHECK(to_bfloat16(std::bit_cast<float>(0x3f808000u)).bits == 0x3f80);
    CHECK(to_bfloat16(std::bit_cast<float>(0x3f818000u)).bits == 0x3f82);
    CHECK(to_bfloat16(std::bit_cast<float>(0x3f808001u)).bits == 0x3f81);
    CHECK(to_bfloat16(std::bit_cast<float>(0x7f7fffffu)).bits == 0x7f80);
    CHECK(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
}
