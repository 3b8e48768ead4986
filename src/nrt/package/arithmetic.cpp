// SPDX-License-Identifier: ISC
#include "nrt/package/arithmetic.hpp"

#include "base/assert.hpp"
#include "nrt/package/half.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace xtc::nrt {
namespace {

// Elements are computed in Work. Unsigned arithmetic is the same for signed ones, and may wrap; 64 bits wide,
// so that nothing is promoted to int on the way.
template <typename Stored> struct Wrapping {
    using Work = uint64_t;
    static Work load(Stored value) { return static_cast<uint64_t>(value); }
    static Stored store(Work value) { return static_cast<Stored>(value); }
};
template <typename Stored> struct Rounding {
    using Work = float;
    static Work load(Stored value) {
        if constexpr (std::is_same_v<Stored, float>)
            return value;
        else
            return to_float(value);
    }
    static Stored store(Work value) {
        if constexpr (std::is_same_v<Stored, Bfloat16>)
            return to_bfloat16(value);
        else if constexpr (std::is_same_v<Stored, Float16>)
            return to_float16(value);
        else
            return value;
    }
};

template <typename Stored, typename Scheme> struct Element {
    using Type = Stored;
    using Work = typename Scheme::Work;
    static Work load(const std::byte* at) {
        Stored value;
        std::memcpy(&value, at, sizeof(value));
        return Scheme::load(value);
    }
    static void store(std::byte* at, Work work) {
        const Stored value = Scheme::store(work);
        std::memcpy(at, &value, sizeof(value));
    }
};

template <typename Visitor> void with_element(Dtype dtype, Visitor visit) {
    switch (dtype) {
    case Dtype::u8:
    case Dtype::i8:
        return visit(Element<uint8_t, Wrapping<uint8_t>>{});
    case Dtype::u16:
    case Dtype::i16:
        return visit(Element<uint16_t, Wrapping<uint16_t>>{});
    case Dtype::u32:
    case Dtype::i32:
        return visit(Element<uint32_t, Wrapping<uint32_t>>{});
    case Dtype::u64:
    case Dtype::i64:
        return visit(Element<uint64_t, Wrapping<uint64_t>>{});
    case Dtype::bf16:
        return visit(Element<Bfloat16, Rounding<Bfloat16>>{});
    case Dtype::f16:
        return visit(Element<Float16, Rounding<Float16>>{});
    case Dtype::f32:
    case Dtype::fp32r:
        return visit(Element<float, Rounding<float>>{});
    default:
        XTC_UNREACHABLE();
    }
}

template <typename Work> Work factor_in(double factor) {
    if constexpr (std::is_same_v<Work, uint64_t>)
        return static_cast<uint64_t>(static_cast<int64_t>(factor));
    else
        return static_cast<float>(factor);
}

} // namespace

void add_elements(Dtype dtype, const void* a, const void* b, void* out, size_t bytes) noexcept {
    with_element(dtype, [&]<typename E>(E) {
        const auto *left = static_cast<const std::byte*>(a), *right = static_cast<const std::byte*>(b);
        auto* to = static_cast<std::byte*>(out);
        for (size_t at = 0; at < bytes; at += sizeof(typename E::Type))
            E::store(to + at, static_cast<typename E::Work>(E::load(left + at) + E::load(right + at)));
    });
}

void scale_elements(Dtype dtype, const void* in, double factor, void* out, size_t bytes) noexcept {
    with_element(dtype, [&]<typename E>(E) {
        const auto by = factor_in<typename E::Work>(factor);
        const auto* from = static_cast<const std::byte*>(in);
        auto* to = static_cast<std::byte*>(out);
        for (size_t at = 0; at < bytes; at += sizeof(typename E::Type))
            E::store(to + at, static_cast<typename E::Work>(E::load(from + at) * by));
    });
}

void fill_with_nan(Dtype dtype, void* out, size_t bytes) noexcept {
    with_element(dtype, [&]<typename E>(E) {
        if constexpr (std::is_same_v<typename E::Work, float>) {
            auto* to = static_cast<std::byte*>(out);
            for (size_t at = 0; at < bytes; at += sizeof(typename E::Type))
                E::store(to + at, std::numeric_limits<float>::quiet_NaN());
        } else {
            XTC_UNREACHABLE();
        }
    });
}

} // namespace xtc::nrt
