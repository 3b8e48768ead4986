// SPDX-License-Identifier: ISC
#include "tools/model/values.hpp"

#include "nrt/package/half.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace xtc::model_tool {
namespace {

using nrt::Dtype;

template <typename T> T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <typename T> void store(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

template <typename... Values> std::string format(const char* how, Values... values) {
    char text[64];
    std::snprintf(text, sizeof text, how, values...);
    return text;
}

std::string element_text(Dtype dtype, const std::byte* at) {
    switch (dtype) {
    case Dtype::u64:
        return format("%" PRIu64, load<uint64_t>(at));
    case Dtype::i64:
        return format("%" PRId64, load<int64_t>(at));
    case Dtype::u32:
        return format("%" PRIu32, load<uint32_t>(at));
    case Dtype::i32:
        return format("%" PRId32, load<int32_t>(at));
    case Dtype::u16:
        return format("%d", load<uint16_t>(at));
    case Dtype::i16:
        return format("%d", load<int16_t>(at));
    case Dtype::u8:
        return format("%d", load<uint8_t>(at));
    case Dtype::i8:
        return format("%d", load<int8_t>(at));
    case Dtype::f32:
    case Dtype::fp32r:
        return format("%.9g", static_cast<double>(load<float>(at)));
    case Dtype::f16:
        return format("%.5g", static_cast<double>(to_float(load<nrt::Float16>(at))));
    case Dtype::bf16:
        return format("%.4g", static_cast<double>(to_float(load<nrt::Bfloat16>(at))));
    default:
        return format("0x%02x", load<uint8_t>(at));
    }
}

void store_random(Dtype dtype, std::byte* at, Prng& random) {
    const auto small = static_cast<uint64_t>(random.between(0, 99));
    const float real = static_cast<float>(random.between(-(1 << 20), 1 << 20)) / (1 << 20);
    switch (dtype) {
    case Dtype::f32:
    case Dtype::fp32r:
        return store(at, real);
    case Dtype::f16:
        return store(at, nrt::to_float16(real));
    case Dtype::bf16:
        return store(at, nrt::to_bfloat16(real));
    default:
        std::memcpy(at, &small, nrt::dtype_bytes(dtype)); // little-endian, as everywhere here
    }
}

} // namespace

std::string shape_text(const nrt::TensorSpec& tensor) {
    std::string text = "[";
    for (const uint32_t dimension : tensor.shape) {
        if (text.size() > 1) text += ',';
        text += std::to_string(dimension);
    }
    text += ']';
    return text;
}

void fill_random(Dtype dtype, std::span<std::byte> bytes, Prng& random) {
    const size_t size = nrt::dtype_bytes(dtype);
    for (size_t at = 0; at + size <= bytes.size(); at += size) store_random(dtype, bytes.data() + at, random);
}

std::string values_text(Dtype dtype, std::span<const std::byte> bytes, unsigned long long most) {
    const size_t size = nrt::dtype_bytes(dtype);
    const size_t count = bytes.size() / size;
    std::string text;
    for (size_t i = 0; i < std::min<unsigned long long>(count, most); ++i) {
        if (i > 0) text += ' ';
        text += element_text(dtype, bytes.data() + i * size);
    }
    if (count > most) text += text.empty() ? "..." : " ...";
    return text;
}

} // namespace xtc::model_tool
