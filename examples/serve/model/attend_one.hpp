// SPDX-License-Identifier: ISC
#pragma once

#include "attention.hpp"

namespace transformer {

// Attention of a single row. What counts here is to read the cache once for all the query heads that share
// it, which OpenBLAS has no call for.
void attend_one(const SharedHead& head, const float* query, float* out);
// The same where there is no AVX2.
void attend_one_portable(const SharedHead& head, const float* query, float* out);

// Softmax over the first `count` scores in place, zero in the rest up to `end`.
void softmax(float* scores, uint32_t count, uint32_t end);

} // namespace transformer
