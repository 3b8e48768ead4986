// SPDX-License-Identifier: ISC
//
// The few operations a layer is made of. Matrices are row-major.
#pragma once

#include <cstdint>

namespace serve {

// One thread for the whole process; also makes OpenBLAS take its work memory now and not in the first step.
void prepare_blas();

// y [rows, outputs] = keep * y + x [rows, inputs] W [inputs, outputs]; keep is 0 or 1.
void project(const float* x, const float* w, float* y, uint32_t rows, uint32_t inputs, uint32_t outputs, float keep);

// Each row divided by its root mean square, times gain.
void normalise(const float* x, const float* gain, float epsilon, float* y, uint32_t rows, uint32_t width);

void squared_relu(float* x, uint64_t count);

// Turns the pairs (i, i + width / 2) by the angles of one position.
void rotate(float* head, const float* cosine, const float* sine, uint32_t width);

// Softmax over the first `count` scores in place, zero in the rest up to `end`.
void softmax(float* scores, uint32_t count, uint32_t end);

struct HeadAttention {
    const float *keys, *values; // [past + rows, head_width]
    uint32_t head_width;
    uint32_t past; // tokens before the first row; row i sees past + i + 1
    float scale;
    float* scores; // work memory for attention_block rows of past + rows
};

constexpr uint32_t attention_block = 64;

// One head over one sequence's new tokens. Rows of query and out are `query_stride` and `out_stride` apart.
void attend(const HeadAttention& head, const float* query, uint32_t query_stride, uint32_t rows, float* out,
            uint32_t out_stride);

} // namespace serve
