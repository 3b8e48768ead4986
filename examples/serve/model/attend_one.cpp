// SPDX-License-Identifier: ISC
#include "attend_one.hpp"

#include "softmax.hpp"

// Sums stay in registers only where these loops are gone before the compiler looks for arrays to take apart.
#if defined(__clang__)
#define TRANSFORMER_UNROLL _Pragma("unroll")
#else
#define TRANSFORMER_UNROLL _Pragma("GCC unroll 8")
#endif

namespace transformer {
namespace {

// Positions whose values stay in the first cache while columns are gone through.
constexpr uint32_t tile = 16;
constexpr uint32_t ahead = 16;
constexpr uint32_t floats_per_line = 16;

// The cache of many sequences does not fit near the core, and its pieces are too short for the hardware to
// run ahead.
TRANSFORMER_INLINE void prefetch(const float* row, uint32_t width) {
    for (uint32_t c = 0; c < width; c += floats_per_line) __builtin_prefetch(row + c);
}

template <uint32_t group>
TRANSFORMER_INLINE void score(const SharedHead& head, uint32_t seen, const float* query) {
    const uint32_t width = head.width, whole = width / lanes * lanes;
    for (uint32_t t = 0; t < seen; ++t) {
        const float* key = head.keys + uint64_t(t) * width;
        if (t + ahead < seen) prefetch(key + ahead * width, width);
        Lanes sums[group] = {}, k, q;
        for (uint32_t c = 0; c < whole; c += lanes) {
            load(k, key + c);
            TRANSFORMER_UNROLL
            for (uint32_t g = 0; g < group; ++g) {
                load(q, query + g * width + c);
                sums[g] += q * k;
            }
        }
        TRANSFORMER_UNROLL
        for (uint32_t g = 0; g < group; ++g) {
            float sum = sum_of(sums[g]);
            for (uint32_t c = whole; c < width; ++c) sum += query[g * width + c] * key[c];
            head.scores[uint64_t(g) * seen + t] = sum * head.scale;
        }
    }
}

// Adds to `vectors` times 8 columns of each head's out the values of a tile, weighted by the scores.
template <uint32_t group, uint32_t vectors>
TRANSFORMER_INLINE void mix_columns(const SharedHead& head, uint32_t seen, uint32_t from, uint32_t to,
                                    uint32_t first, float* out) {
    Lanes sums[group][vectors], v;
    TRANSFORMER_UNROLL
    for (uint32_t g = 0; g < group; ++g) {
        TRANSFORMER_UNROLL
        for (uint32_t j = 0; j < vectors; ++j) load(sums[g][j], out + g * head.width + first + j * lanes);
    }
    for (uint32_t t = from; t < to; ++t) {
        const float* value = head.values + uint64_t(t) * head.width + first;
        TRANSFORMER_UNROLL
        for (uint32_t j = 0; j < vectors; ++j) {
            load(v, value + j * lanes);
            TRANSFORMER_UNROLL
            for (uint32_t g = 0; g < group; ++g) sums[g][j] += head.scores[uint64_t(g) * seen + t] * v;
        }
    }
    TRANSFORMER_UNROLL
    for (uint32_t g = 0; g < group; ++g) {
        TRANSFORMER_UNROLL
        for (uint32_t j = 0; j < vectors; ++j) store(out + g * head.width + first + j * lanes, sums[g][j]);
    }
}

template <uint32_t group, uint32_t vectors>
TRANSFORMER_INLINE void mix(const SharedHead& head, uint32_t seen, const float* divisors, float* out) {
    const uint32_t width = head.width;
    for (uint32_t i = 0; i < group * width; ++i) out[i] = 0;
    for (uint32_t from = 0; from < seen; from += tile) {
        const uint32_t to = std::min(from + tile, seen);
        for (uint32_t t = to; t < std::min(to + tile, seen); ++t)
            prefetch(head.values + uint64_t(t) * width, width);
        uint32_t first = 0;
        for (; first + vectors * lanes <= width; first += vectors * lanes)
            mix_columns<group, vectors>(head, seen, from, to, first, out);
        for (; first + lanes <= width; first += lanes)
            mix_columns<group, 1>(head, seen, from, to, first, out);
        for (; first < width; ++first)
            for (uint32_t g = 0; g < group; ++g)
                for (uint32_t t = from; t < to; ++t)
                    out[g * width + first] +=
                        head.scores[uint64_t(g) * seen + t] * head.values[uint64_t(t) * width + first];
    }
    for (uint32_t g = 0; g < group; ++g)
        for (uint32_t c = 0; c < width; ++c) out[g * width + c] /= divisors[g];
}

template <uint32_t group, uint32_t vectors>
TRANSFORMER_INLINE void attend_group(const SharedHead& head, const float* query, float* out) {
    const uint32_t seen = head.past + 1;
    score<group>(head, seen, query);
    float divisors[group];
    TRANSFORMER_UNROLL
    for (uint32_t g = 0; g < group; ++g)
        divisors[g] = softmax_weights(head.scores + uint64_t(g) * seen, seen);
    mix<group, vectors>(head, seen, divisors, out);
}

// Groups of at most four heads, whose sums fit in the registers; `vectors` is chosen for the same reason.
template <uint32_t vectors>
TRANSFORMER_INLINE void attend_groups(const SharedHead& head, const float* query, float* out) {
    uint32_t left = head.group;
    for (; left >= 4; left -= 4, query += 4 * head.width, out += 4 * head.width)
        attend_group<4, vectors>(head, query, out);
    if (left == 3) attend_group<3, vectors>(head, query, out);
    if (left == 2) attend_group<2, vectors>(head, query, out);
    if (left == 1) attend_group<1, vectors>(head, query, out);
}

TRANSFORMER_INLINE void softmax_row(float* scores, uint32_t count, uint32_t end) {
    const float share = 1 / softmax_weights(scores, count);
    for (uint32_t i = 0; i < count; ++i) scores[i] *= share;
    std::fill(scores + count, scores + end, 0.0f);
}

void softmax_plain(float* scores, uint32_t count, uint32_t end) {
    softmax_row(scores, count, end);
}

#if defined(__x86_64__)
#define TRANSFORMER_AVX2 __attribute__((target("avx2,fma")))
TRANSFORMER_AVX2 void attend_avx2(const SharedHead& head, const float* query, float* out) {
    attend_groups<2>(head, query, out);
}
TRANSFORMER_AVX2 void softmax_avx2(float* scores, uint32_t count, uint32_t end) {
    softmax_row(scores, count, end);
}
const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
const auto chosen_attend = has_avx2 ? attend_avx2 : attend_one_portable;
const auto chosen_softmax = has_avx2 ? softmax_avx2 : softmax_plain;
#else
constexpr auto chosen_attend = attend_one_portable;
constexpr auto chosen_softmax = softmax_plain;
#endif

} // namespace

void attend_one_portable(const SharedHead& head, const float* query, float* out) {
    attend_groups<1>(head, query, out);
}

void attend_one(const SharedHead& head, const float* query, float* out) {
    chosen_attend(head, query, out);
}

void softmax(float* scores, uint32_t count, uint32_t end) {
    chosen_softmax(scores, count, end);
}

} // namespace transformer
