// SPDX-License-Identifier: ISC
#include "kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <cblas.h>

namespace serve {
namespace {

// Below this many rows reading the weights once for each row is faster than sgemm, which first repacks them.
constexpr uint32_t fewest_rows_for_sgemm = 4;

// exp for x <= 0, to about 2 units in the last place; written so that the compiler makes vectors of it.
inline float exp_negative(float x) {
    x = std::max(x, -87.0f);
    const float rounder = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer
    const float shifted = x * 1.44269504f + rounder;
    const float n = shifted - rounder;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const uint32_t power = (std::bit_cast<uint32_t>(shifted) + 127u) << 23;
    return p * std::bit_cast<float>(power);
}

} // namespace

void prepare_blas() {
    openblas_set_num_threads(1);
    float x[fewest_rows_for_sgemm] = {}, w[1] = {}, y[fewest_rows_for_sgemm] = {};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, fewest_rows_for_sgemm, 1, 1, 1, x, 1, w, 1, 0, y, 1);
}

void project(const float* x, const float* w, float* y, uint32_t rows, uint32_t inputs, uint32_t outputs, float keep) {
    const auto m = blasint(rows), k = blasint(inputs), n = blasint(outputs);
    if (rows >= fewest_rows_for_sgemm) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, x, k, w, n, keep, y, n);
        return;
    }
    for (uint32_t i = 0; i < rows; ++i)
        cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, w, n, x + i * inputs, 1, keep, y + i * outputs, 1);
}

void normalise(const float* x, const float* gain, float epsilon, float* y, uint32_t rows, uint32_t width) {
    for (uint32_t i = 0; i < rows; ++i, x += width, y += width) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (uint32_t c = 0; c < width; ++c) sum += x[c] * x[c];
        const float scale = 1 / std::sqrt(sum / float(width) + epsilon);
#pragma omp simd
        for (uint32_t c = 0; c < width; ++c) y[c] = x[c] * scale * gain[c];
    }
}

void squared_relu(float* x, uint64_t count) {
#pragma omp simd
    for (uint64_t i = 0; i < count; ++i) {
        const float positive = x[i] > 0 ? x[i] : 0;
        x[i] = positive * positive;
    }
}

void rotate(float* head, const float* cosine, const float* sine, uint32_t width) {
    const uint32_t half = width / 2;
#pragma omp simd
    for (uint32_t i = 0; i < half; ++i) {
        const float first = head[i], second = head[i + half];
        head[i] = first * cosine[i] - second * sine[i];
        head[i + half] = first * sine[i] + second * cosine[i];
    }
}

void softmax(float* scores, uint32_t count, uint32_t end) {
    float highest = scores[0];
#pragma omp simd reduction(max : highest)
    for (uint32_t i = 0; i < count; ++i) highest = std::max(highest, scores[i]);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < count; ++i) {
        scores[i] = exp_negative(scores[i] - highest);
        sum += scores[i];
    }
    const float share = 1 / sum;
#pragma omp simd
    for (uint32_t i = 0; i < count; ++i) scores[i] *= share;
    std::fill(scores + count, scores + end, 0.0f);
}

void attend(const HeadAttention& head, const float* query, uint32_t query_stride, uint32_t rows, float* out,
            uint32_t out_stride) {
    const auto width = blasint(head.head_width);
    if (rows == 1) {
        const auto seen = blasint(head.past + 1);
        cblas_sgemv(CblasRowMajor, CblasNoTrans, seen, width, head.scale, head.keys, width, query, 1, 0, head.scores, 1);
        softmax(head.scores, head.past + 1, head.past + 1);
        cblas_sgemv(CblasRowMajor, CblasTrans, seen, width, 1, head.values, width, head.scores, 1, 0, out, 1);
        return;
    }
    // In blocks, so that the work memory stays small and little is computed behind the causal mask.
    for (uint32_t first = 0; first < rows; first += attention_block) {
        const uint32_t count = std::min(attention_block, rows - first);
        const uint32_t end = head.past + first + count;
        const auto m = blasint(count), t = blasint(end);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, t, width, head.scale, query + first * query_stride,
                    blasint(query_stride), head.keys, width, 0, head.scores, t);
        for (uint32_t i = 0; i < count; ++i)
            softmax(head.scores + uint64_t(i) * end, head.past + first + i + 1, end);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, width, t, 1, head.scores, t, head.values, width, 0,
                    out + first * out_stride, blasint(out_stride));
    }
}

} // namespace serve
