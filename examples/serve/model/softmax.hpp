// SPDX-License-Identifier: ISC
#pragma once

#include "lanes.hpp"

#include <algorithm>

namespace transformer {

// exp for x <= 0, to about 2 units in the last place: 2^n times a polynomial of the rest.
TRANSFORMER_INLINE void exp_negative(Lanes& x) {
    const Lanes rounder = Lanes{} + 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer
    const Lanes lowest = Lanes{} - 87.0f;        // below, 2^n would leave the exponent
    x = x < lowest ? lowest : x;
    const Lanes shifted = x * 1.44269504f + rounder;
    const Lanes n = shifted - rounder;
    const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    IntLanes power;
    std::memcpy(&power, &shifted, sizeof power);
    power = (power + 127) << 23;
    std::memcpy(&x, &power, sizeof x);
    x *= p;
}

// Softmax in place but for the division: returns what to divide by.
TRANSFORMER_INLINE float softmax_weights(float* scores, uint32_t count) {
    const uint32_t whole = count / lanes * lanes;
    float tail[lanes], highest = scores[0];
    std::fill_n(tail, lanes, -1e30f); // becomes nearly nothing
    std::copy(scores + whole, scores + count, tail);
    Lanes most, v;
    load(most, tail);
    for (uint32_t i = 0; i < whole; i += lanes) {
        load(v, scores + i);
        most = most < v ? v : most;
    }
    for (uint32_t i = 0; i < lanes; ++i) highest = std::max(highest, most[i]);

    Lanes sum = {};
    for (uint32_t i = 0; i < whole; i += lanes) {
        load(v, scores + i);
        v -= highest;
        exp_negative(v);
        store(scores + i, v);
        sum += v;
    }
    load(v, tail);
    v -= highest;
    exp_negative(v);
    store(tail, v);
    std::copy_n(tail, count - whole, scores + whole);
    float total = sum_of(sum);
    for (uint32_t i = 0; i < count - whole; ++i) total += tail[i];
    return total;
}

} // namespace transformer
