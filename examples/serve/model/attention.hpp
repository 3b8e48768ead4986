// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>

namespace transformer {

// Keys and values that a group of query heads shares.
struct SharedHead {
    const float *keys, *values; // [past + rows, width]
    uint32_t width;
    uint32_t group; // query heads
    uint32_t past;  // tokens before the first row; row i sees past + i + 1
    float scale;
    float* scores; // work memory for attention_block times past + rows
};

constexpr uint32_t attention_block = 64;

// Rows of new tokens; a row's query and out hold group heads side by side, rows stand the strides apart.
void attend(const SharedHead& head, const float* query, uint32_t query_stride, uint32_t rows, float* out,
            uint32_t out_stride);

} // namespace transformer
