// SPDX-License-Identifier: ISC
#include "nrt/package/blas.hpp"

#include "base/prng.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace xtc::nrt;

namespace {

std::vector<float> random_matrix(xtc::Prng& random, int32_t rows, int32_t columns) {
    std::vector<float> values(static_cast<size_t>(rows) * static_cast<size_t>(columns));
    for (float& value : values) value = static_cast<float>(random.between(-8, 8)) / 4;
    return values;
}

// Quarters of small integers: every sum is exact in float, whatever its order.
double entry(const std::vector<float>& a, const std::vector<float>& b, int32_t n, int32_t k, int32_t row,
             int32_t column) {
    double sum = 0;
    for (int32_t i = 0; i < k; ++i)
        sum += static_cast<double>(a[static_cast<size_t>(row * k + i)]) *
               static_cast<double>(b[static_cast<size_t>(i * n + column)]);
    return sum;
}

} // namespace

TEST_CASE("matrices are multiplied row after row, by OpenBLAS and by plain loops") {
    xtc::Prng random(7);
    for (const Sgemm sgemm : {load_sgemm(), static_cast<Sgemm>(plain_sgemm)}) {
        for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {2, 3, 4}, {17, 5, 33}, {64, 64, 64}}) {
            const std::vector<float> a = random_matrix(random, m, k), b = random_matrix(random, k, n);
            std::vector<float> c(static_cast<size_t>(m * n), NAN);
            sgemm(m, n, k, a.data(), b.data(), c.data());
            int wrong = 0;
            for (int32_t row = 0; row < m; ++row)
                for (int32_t column = 0; column < n; ++column)
                    wrong += static_cast<double>(c[static_cast<size_t>(row * n + column)]) !=
                             entry(a, b, n, k, row, column);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("loading twice gives the same function") {
    CHECK(load_sgemm() == load_sgemm());
}
