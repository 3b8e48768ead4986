// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <algorithm>
#include <cstdlib>

namespace {

// A size of zero still yields a pointer of its own, so NULL always means failure.
size_t at_least_one(size_t size) {
    return std::max<size_t>(size, 1);
}

bool is_power_of_two(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

} // namespace

void* xtc_malloc(size_t size) {
    return std::malloc(at_least_one(size));
}

void* xtc_calloc(size_t count, size_t size) {
    size_t product = 0;
    // A sanitizer's calloc takes this for a bug of the caller's and ends the process.
    if (__builtin_mul_overflow(count, size, &product)) return nullptr;
    return std::calloc(at_least_one(count), at_least_one(size));
}

void* xtc_realloc(void* ptr, size_t size) {
    return std::realloc(ptr, at_least_one(size));
}

void xtc_free(void* ptr) {
    std::free(ptr);
}

void* xtc_aligned_alloc(size_t align, size_t size) {
    if (!is_power_of_two(align)) return nullptr;
    void* out = nullptr;
    if (::posix_memalign(&out, std::max(align, sizeof(void*)), at_least_one(size)) != 0) return nullptr;
    return out;
}

void xtc_aligned_free(void* ptr) {
    std::free(ptr);
}
