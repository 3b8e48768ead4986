// SPDX-License-Identifier: ISC
#include "kernels.hpp"

#include <cmath>

#include <cblas.h>

namespace transformer {
namespace {

// Below this many rows reading the weights once for each row is faster than sgemm, which first repacks them.
constexpr uint32_t fewest_rows_for_sgemm = 4;

} // namespace

void prepare_blas() {
    openblas_set_num_threads(1);
    float x[fewest_rows_for_sgemm] = {}, w[1] = {}, y[fewest_rows_for_sgemm] = {};
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, fewest_rows_for_sgemm, 1, 1, 1, x, 1, w, 1, 0, y,
                1);
}

void project(const float* x, const float* w, float* y, uint32_t rows, uint32_t inputs, uint32_t outputs,
             float keep) {
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

} // namespace transformer
