// SPDX-License-Identifier: ISC
//
// OpenBLAS, loaded when the first model that multiplies matrices is. It is set to one thread, for the whole
// process: a host that uses the same OpenBLAS shares that.
#pragma once

#include <cstdint>

namespace xtc::nrt {

// c [m,n] = a [m,k] x b [k,n], row after row, without overlap.
using Sgemm = void (*)(int32_t m, int32_t n, int32_t k, const float* a, const float* b, float* c) noexcept;

// OpenBLAS's, or where it is not installed plain loops.
Sgemm load_sgemm() noexcept;

void plain_sgemm(int32_t m, int32_t n, int32_t k, const float* a, const float* b, float* c) noexcept;

} // namespace xtc::nrt
