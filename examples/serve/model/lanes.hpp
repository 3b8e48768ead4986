// SPDX-License-Identifier: ISC
//
// Eight floats at once, in the compiler's own vector type: the same lines become AVX2 in a function with that
// target, and two halves elsewhere. All is inlined into such a function, and passed by reference, so that no
// vector crosses a call.
#pragma once

#include <cstdint>
#include <cstring>

#define TRANSFORMER_INLINE [[gnu::always_inline]] inline

namespace transformer {

constexpr uint32_t lanes = 8;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));
using IntLanes = int32_t __attribute__((vector_size(lanes * sizeof(int32_t))));
using HalfLanes = float __attribute__((vector_size(lanes / 2 * sizeof(float))));

TRANSFORMER_INLINE void load(Lanes& to, const float* from) {
    std::memcpy(&to, from, sizeof to);
}
TRANSFORMER_INLINE void store(float* to, const Lanes& from) {
    std::memcpy(to, &from, sizeof from);
}

TRANSFORMER_INLINE float sum_of(const Lanes& v) {
    const HalfLanes half =
        __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    const HalfLanes pair = half + __builtin_shufflevector(half, half, 2, 3, 0, 1);
    return pair[0] + pair[1];
}

} // namespace transformer
