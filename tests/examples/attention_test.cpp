// SPDX-License-Identifier: ISC
#include "attend_one.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Case {
    uint32_t width, group, past, rows;
};

// The same numbers on every machine; nothing here needs them to be good.
std::vector<float> numbers(size_t count, uint32_t seed) {
    std::vector<float> all(count);
    for (float& value : all) {
        seed = seed * 1664525u + 1013904223u;
        value = float(int32_t(seed) >> 16) / 16384.0f;
    }
    return all;
}

std::vector<float> by_definition(const transformer::SharedHead& head, const std::vector<float>& query,
                                 uint32_t rows) {
    std::vector<float> out(query.size());
    for (uint32_t row = 0; row < rows * head.group; ++row) {
        const float* q = &query[row * head.width];
        const uint32_t seen = head.past + row / head.group + 1;
        std::vector<double> weights(seen);
        double total = 0;
        for (uint32_t t = 0; t < seen; ++t) {
            double score = 0;
            for (uint32_t c = 0; c < head.width; ++c)
                score += double(q[c]) * double(head.keys[t * head.width + c]);
            weights[t] = std::exp(score * double(head.scale));
            total += weights[t];
        }
        for (uint32_t c = 0; c < head.width; ++c) {
            double sum = 0;
            for (uint32_t t = 0; t < seen; ++t) sum += weights[t] * double(head.values[t * head.width + c]);
            out[row * head.width + c] = float(sum / total);
        }
    }
    return out;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    float largest = 0;
    for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
    return largest;
}

} // namespace

TEST_CASE("attention is what its definition says, for one row and for many") {
    const Case cases[] = {{64, 3, 0, 1},    {64, 3, 1, 1},   {64, 3, 6, 1},  {64, 3, 7, 1},  {64, 3, 15, 1},
                          {64, 3, 16, 1},   {64, 3, 500, 1}, {32, 1, 33, 1}, {24, 2, 40, 1}, {6, 4, 19, 1},
                          {10, 5, 50, 1},   {48, 7, 31, 1},  {64, 3, 0, 2},  {64, 3, 0, 64}, {64, 3, 0, 65},
                          {64, 3, 70, 130}, {10, 2, 5, 9}};
    for (const Case& c : cases) {
        const uint32_t end = c.past + c.rows;
        const auto keys = numbers(end * c.width, 1), values = numbers(end * c.width, 2);
        const auto query = numbers(c.rows * c.group * c.width, 3);
        std::vector<float> scores(transformer::attention_block * end), out(query.size(), 9.0f);
        const transformer::SharedHead head{keys.data(), values.data(), c.width,      c.group,
                                           c.past,      0.2f,          scores.data()};
        transformer::attend(head, query.data(), c.group * c.width, c.rows, out.data(), c.group * c.width);
        const auto expected = by_definition(head, query, c.rows);
        INFO("width " << c.width << ", group " << c.group << ", past " << c.past << ", rows " << c.rows);
        CHECK(largest_difference(out, expected) < 2e-5f);
        if (c.rows != 1) continue;
        std::fill(out.begin(), out.end(), 9.0f);
        transformer::attend_one_portable(head, query.data(), out.data());
        CHECK(largest_difference(out, expected) < 2e-5f);
    }
}

TEST_CASE("softmax holds for scores far apart, and leaves zero behind its end") {
    std::vector<float> scores = {1000, 999, -1000, 1000, 0, 0, 0, 0, 998, 7, 7, 7};
    transformer::softmax(scores.data(), 9, 12);
    const double total = 2 + std::exp(-1.0) + std::exp(-2.0);
    CHECK(scores[0] == Approx(1 / total).epsilon(1e-6));
    CHECK(scores[1] == Approx(std::exp(-1.0) / total).epsilon(1e-6));
    CHECK(scores[2] < 1e-30f);
    CHECK(scores[3] == scores[0]);
    CHECK(scores[8] == Approx(std::exp(-2.0) / total).epsilon(1e-6));
    CHECK((scores[9] == 0 && scores[10] == 0 && scores[11] == 0));
}
