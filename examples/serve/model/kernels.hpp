// SPDX-License-Identifier: ISC
//
// The few operations a layer is made of. Matrices are row-major.
#pragma once

#include <cstdint>

namespace transformer {

// One thread for the whole process; also makes OpenBLAS take its work memory now and not in the first step.
void prepare_blas();

// y [rows, outputs] = keep * y + x [rows, inputs] W [inputs, outputs]; keep is 0 or 1.
void project(const float* x, const float* w, float* y, uint32_t rows, uint32_t inputs, uint32_t outputs,
             float keep);

// Each row divided by its root mean square, times gain.
void normalise(const float* x, const float* gain, float epsilon, float* y, uint32_t rows, uint32_t width);

void squared_relu(float* x, uint64_t count);

// Turns the pairs (i, i + width / 2) by the angles of one position.
void rotate(float* head, const float* cosine, const float* sine, uint32_t width);

} // namespace transformer
