// SPDX-License-Identifier: ISC
#include "attention.hpp"

#include "attend_one.hpp"

#include <algorithm>

#include <cblas.h>

namespace transformer {
namespace {

// In blocks, so that the work memory stays small and little is computed behind the causal mask.
void attend_head(const SharedHead& head, const float* query, uint32_t query_stride, uint32_t rows, float* out,
                 uint32_t out_stride) {
    const auto width = blasint(head.width);
    for (uint32_t first = 0; first < rows; first += attention_block) {
        const uint32_t count = std::min(attention_block, rows - first);
        const uint32_t end = head.past + first + count;
        const auto m = blasint(count), t = blasint(end);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, t, width, head.scale,
                    query + first * query_stride, blasint(query_stride), head.keys, width, 0, head.scores, t);
        for (uint32_t i = 0; i < count; ++i)
            softmax(head.scores + uint64_t(i) * end, head.past + first + i + 1, end);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, width, t, 1, head.scores, t, head.values,
                    width, 0, out + first * out_stride, blasint(out_stride));
    }
}

} // namespace

void attend(const SharedHead& head, const float* query, uint32_t query_stride, uint32_t rows, float* out,
            uint32_t out_stride) {
    if (rows == 1) return attend_one(head, query, out);
    for (uint32_t g = 0; g < head.group; ++g)
        attend_head(head, query + g * head.width, query_stride, rows, out + g * head.width, out_stride);
}

} // namespace transformer
