// SPDX-License-Identifier: ISC
//
// The 16-bit floats, to float and back. Going back rounds to the nearest, ties to even, and keeps NaN one.
#pragma once

#include <bit>
#include <cstdint>

namespace xtc::nrt {

struct Bfloat16 {
    uint16_t bits;
};
struct Float16 {
    uint16_t bits;
};

inline float to_float(Bfloat16 value) noexcept {
    return std::bit_cast<float>(uint32_t{value.bits} << 16);
}

inline Bfloat16 to_bfloat16(float value) noexcept {
    const auto bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
    return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

inline float to_float(Float16 value) noexcept {
    const uint32_t sign = uint32_t{value.bits & 0x8000u} << 16;
    const uint32_t exponent = (value.bits >> 10) & 0x1f;
    const uint32_t fraction = value.bits & 0x3ff;
    if (exponent == 0) { // zero and subnormal: fraction times 2^-24, exact in float
        const float size = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -size : size;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

inline Float16 to_float16(float value) noexcept {
    const auto bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
    const uint32_t size = bits & 0x7fffffff;
    if (size > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00 | ((size >> 13) & 0x1ff))};
    if (size >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)}; // from 65520 on
    if (size < 0x38800000) {
        // Below 2^-14: adding 0.5 leaves the fraction, rounded, in the lowest bits.
        const auto sum = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f);
        return {static_cast<uint16_t>(sign | (sum - std::bit_cast<uint32_t>(0.5f)))};
    }
    const uint32_t rounded = size + 0xfff + ((size >> 13) & 1);
    return {static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
}

} // namespace xtc::nrt
