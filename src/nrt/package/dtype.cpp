// SPDX-License-Identifier: ISC
#include "nrt/package/dtype.hpp"

#include "base/assert.hpp"

#include <array>

namespace xtc::nrt {
namespace {

struct Row {
    Dtype dtype;
    const char* name;
    uint32_t bytes;
    Kind kind;
};

constexpr std::array table{
    Row{Dtype::u64, "uint64", 8, Kind::integer},   Row{Dtype::i8, "int8", 1, Kind::integer},
    Row{Dtype::u8, "uint8", 1, Kind::integer},     Row{Dtype::i16, "int16", 2, Kind::integer},
    Row{Dtype::u16, "uint16", 2, Kind::integer},   Row{Dtype::bf16, "bfloat16", 2, Kind::real},
    Row{Dtype::f16, "float16", 2, Kind::real},     Row{Dtype::i32, "int32", 4, Kind::integer},
    Row{Dtype::u32, "uint32", 4, Kind::integer},   Row{Dtype::f32, "float32", 4, Kind::real},
    Row{Dtype::fp32r, "fp32r", 4, Kind::real},     Row{Dtype::i64, "int64", 8, Kind::integer},
    Row{Dtype::fp8_e3, "fp8_e3", 1, Kind::opaque}, Row{Dtype::fp8_e4, "fp8_e4", 1, Kind::opaque},
    Row{Dtype::fp8_e5, "fp8_e5", 1, Kind::opaque},
};

constexpr bool is_in_order() {
    for (size_t i = 0; i < table.size(); ++i)
        if (static_cast<size_t>(table[i].dtype) != i + 1) return false;
    return true;
}
static_assert(is_in_order());

const Row& row_of(Dtype dtype) noexcept {
    XTC_ASSERT(dtype >= first_dtype && dtype <= last_dtype);
    return table[static_cast<size_t>(dtype) - 1];
}

} // namespace

const char* dtype_name(Dtype dtype) noexcept {
    return row_of(dtype).name;
}

std::optional<Dtype> dtype_of(std::string_view name) noexcept {
    for (const Row& row : table)
        if (name == row.name) return row.dtype;
    return std::nullopt;
}

uint32_t dtype_bytes(Dtype dtype) noexcept {
    return row_of(dtype).bytes;
}

Kind dtype_kind(Dtype dtype) noexcept {
    return row_of(dtype).kind;
}

} // namespace xtc::nrt
