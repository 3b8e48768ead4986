// SPDX-License-Identifier: ISC
//
// Element types of tensors: names as model.json writes them, numbers as nrt_dtype_t has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xtc::nrt {

enum class Dtype : uint8_t {
    u64 = 1,
    i8 = 2,
    u8 = 3,
    i16 = 4,
    u16 = 5,
    bf16 = 6,
    f16 = 7,
    i32 = 8,
    u32 = 9,
    f32 = 10,
    fp32r = 11, // float32 whose device may round; here it is float32
    i64 = 12,
    fp8_e3 = 13,
    fp8_e4 = 14,
    fp8_e5 = 15,
};
inline constexpr Dtype first_dtype = Dtype::u64;
inline constexpr Dtype last_dtype = Dtype::fp8_e5;

const char* dtype_name(Dtype dtype) noexcept; // "float32"
std::optional<Dtype> dtype_of(std::string_view name) noexcept;
uint32_t dtype_bytes(Dtype dtype) noexcept;

enum class Kind : uint8_t {
    integer,
    real,
    opaque, // the 8-bit floats: devices disagree about their encoding, so only their bytes are moved
};
Kind dtype_kind(Dtype dtype) noexcept;

} // namespace xtc::nrt
