// SPDX-License-Identifier: ISC
#include "nrt/package/arithmetic.hpp"

#include "nrt/package/half.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

using namespace xtc::nrt;

namespace {

template <typename T> std::vector<T> sum(Dtype dtype, const std::vector<T>& a, const std::vector<T>& b) {
    std::vector<T> out(a.size());
    add_elements(dtype, a.data(), b.data(), out.data(), a.size() * sizeof(T));
    return out;
}

template <typename T> std::vector<T> product(Dtype dtype, const std::vector<T>& in, double factor) {
    std::vector<T> out(in.size());
    scale_elements(dtype, in.data(), factor, out.data(), in.size() * sizeof(T));
    return out;
}

template <typename T> void check_integer(Dtype dtype) {
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    const auto wrapped = static_cast<T>(static_cast<uint64_t>(high) + 1);
    CHECK(wrapped == low);
    CHECK(sum<T>(dtype, {high, 5, low}, {1, 6, 0}) == std::vector<T>{low, 11, low});
    const auto minus = [](int value) { return static_cast<T>(-value); };
    CHECK(product<T>(dtype, {1, 7, 0}, -3) == std::vector<T>{minus(3), minus(21), 0});
    CHECK(product<T>(dtype, {high, 2}, 2) == std::vector<T>{minus(2), 4});
}

} // namespace

TEST_CASE("integers add and scale, and wrap") {
    check_integer<uint8_t>(Dtype::u8);
    check_integer<int8_t>(Dtype::i8);
    check_integer<uint16_t>(Dtype::u16);
    check_integer<int16_t>(Dtype::i16);
    check_integer<uint32_t>(Dtype::u32);
    check_integer<int32_t>(Dtype::i32);
    check_integer<uint64_t>(Dtype::u64);
    check_integer<int64_t>(Dtype::i64);
    CHECK(product<int64_t>(Dtype::i64, {3}, 9007199254740992.0) ==
          std::vector<int64_t>{3 * 9007199254740992});
}

TEST_CASE("float32 and fp32r are computed in float") {
    for (const Dtype dtype : {Dtype::f32, Dtype::fp32r}) {
        CHECK(sum<float>(dtype, {1.5f, 0.1f}, {2.25f, 0.2f}) == std::vector<float>{3.75f, 0.1f + 0.2f});
        CHECK(product<float>(dtype, {3, -2}, 0.5) == std::vector<float>{1.5f, -1});
        CHECK(std::isinf(sum<float>(dtype, {3e38f}, {3e38f})[0]));
    }
}

TEST_CASE("16-bit floats are computed in float and rounded once") {
    const std::vector<uint16_t> a{to_float16(1000).bits, to_float16(60000).bits};
    const std::vector<uint16_t> b{to_float16(0.3f).bits, to_float16(60000).bits};
    const std::vector<uint16_t> halves = sum<uint16_t>(Dtype::f16, a, b);
    CHECK(halves[0] == to_float16(1000 + to_float(Float16{b[0]})).bits);
    CHECK(std::isinf(to_float(Float16{halves[1]})));
    CHECK(product<uint16_t>(Dtype::f16, {to_float16(3).bits}, 0.5)[0] == to_float16(1.5f).bits);
    CHECK(product<uint16_t>(Dtype::bf16, {to_bfloat16(3).bits}, 0.5)[0] == to_bfloat16(1.5f).bits);
    CHECK(sum<uint16_t>(Dtype::bf16, {to_bfloat16(256).bits}, {to_bfloat16(1).bits})[0] ==
          to_bfloat16(257).bits);
}

TEST_CASE("an output may be its input, at any address") {
    std::vector<std::byte> memory(1 + 3 * sizeof(int32_t));
    const int32_t values[3] = {1, -2, 3};
    std::memcpy(memory.data() + 1, values, sizeof values);
    add_elements(Dtype::i32, memory.data() + 1, memory.data() + 1, memory.data() + 1, sizeof values);
    int32_t doubled[3];
    std::memcpy(doubled, memory.data() + 1, sizeof doubled);
    CHECK(std::vector<int32_t>(doubled, doubled + 3) == std::vector<int32_t>{2, -4, 6});
}

TEST_CASE("every type that has NaN is filled with it") {
    std::vector<float> wide(3);
    for (const Dtype dtype : {Dtype::f32, Dtype::fp32r}) {
        std::fill(wide.begin(), wide.end(), 0.0f);
        fill_with_nan(dtype, wide.data(), wide.size() * sizeof(float));
        for (const float value : wide) CHECK(std::isnan(value));
    }
    std::vector<uint16_t> narrow(3);
    fill_with_nan(Dtype::f16, narrow.data(), 6);
    for (const uint16_t bits : narrow) CHECK(std::isnan(to_float(Float16{bits})));
    fill_with_nan(Dtype::bf16, narrow.data(), 6);
    for (const uint16_t bits : narrow) CHECK(std::isnan(to_float(Bfloat16{bits})));
}
