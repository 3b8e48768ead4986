// SPDX-License-Identifier: ISC
//
// Element by element over raw bytes of any alignment. Integers wrap; the 16-bit floats are computed in float
// and rounded. `out` may be an input.
#pragma once

#include "nrt/package/dtype.hpp"

#include <cstddef>

namespace xtc::nrt {

// Not for Kind::opaque.
void add_elements(Dtype dtype, const void* a, const void* b, void* out, size_t bytes) noexcept;
// The factor of an integer type is an integer of at most 2^53 (check_op).
void scale_elements(Dtype dtype, const void* in, double factor, void* out, size_t bytes) noexcept;
// Kind::real only.
void fill_with_nan(Dtype dtype, void* out, size_t bytes) noexcept;

} // namespace xtc::nrt
