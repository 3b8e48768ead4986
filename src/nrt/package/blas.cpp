// SPDX-License-Identifier: ISC
#include "nrt/package/blas.hpp"

#include <algorithm>
#include <cstddef>

#include <dlfcn.h>

namespace xtc::nrt {
namespace {

// As in cblas.h, which a build does not need: the interface that counts in int.
constexpr int row_major = 101;
constexpr int not_transposed = 111;
using CblasSgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
using SetThreads = void (*)(int);

struct OpenBlas {
    CblasSgemm sgemm = nullptr;

    OpenBlas() noexcept {
        // Never unloaded: it may have made threads.
        void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library == nullptr) return;
        const auto found = reinterpret_cast<CblasSgemm>(::dlsym(library, "cblas_sgemm"));
        const auto set_threads = reinterpret_cast<SetThreads>(::dlsym(library, "openblas_set_num_threads"));
        if (found == nullptr || set_threads == nullptr) return;
        set_threads(1);
        sgemm = found;
    }
};

const OpenBlas& open_blas() noexcept {
    static const OpenBlas loaded;
    return loaded;
}

void blas_sgemm(int32_t m, int32_t n, int32_t k, const float* a, const float* b, float* c) noexcept {
    open_blas().sgemm(row_major, not_transposed, not_transposed, m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
}

} // namespace

void plain_sgemm(int32_t m, int32_t n, int32_t k, const float* a, const float* b, float* c) noexcept {
    const auto width = static_cast<size_t>(n), depth = static_cast<size_t>(k);
    for (size_t row = 0; row < static_cast<size_t>(m); ++row) {
        float* out = c + row * width;
        std::fill(out, out + width, 0.0f);
        for (size_t i = 0; i < depth; ++i) {
            const float factor = a[row * depth + i];
            const float* from = b + i * width;
            for (size_t column = 0; column < width; ++column) out[column] += factor * from[column];
        }
    }
}

Sgemm load_sgemm() noexcept {
    return open_blas().sgemm != nullptr ? blas_sgemm : plain_sgemm;
}

} // namespace xtc::nrt
