// SPDX-License-Identifier: ISC
#include "batch/allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> failing{0}; // the count at which one fails
std::atomic<bool> failed{false};

// One thread at a time turns this on and off; others only see a size that is not theirs.
std::atomic<size_t> kept_size{0};
std::atomic<size_t> kept_count{0};
void* kept[allocations::kMostKept];
constexpr unsigned char kMark = 0xa5;

bool keep(void* p, size_t size) noexcept {
    if (p == nullptr || size == 0 || size != kept_size.load(std::memory_order_relaxed)) return false;
    const size_t at = kept_count.load(std::memory_order_relaxed);
    if (at == allocations::kMostKept) return false;
    std::memset(p, kMark, size);
    kept[at] = p;
    kept_count = at + 1;
    return true;
}

void* take(size_t size) noexcept {
    const uint64_t mine = counted.fetch_add(1, std::memory_order_relaxed) + 1;
    if (mine == failing.load(std::memory_order_relaxed)) {
        failed = true;
        return nullptr;
    }
    return std::malloc(size != 0 ? size : 1);
}

void* take_aligned(size_t size, std::align_val_t alignment) noexcept {
    const uint64_t mine = counted.fetch_add(1, std::memory_order_relaxed) + 1;
    if (mine == failing.load(std::memory_order_relaxed)) {
        failed = true;
        return nullptr;
    }
    const auto unit = static_cast<size_t>(alignment);
    return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

void* or_throw(void* p) {
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

} // namespace

namespace allocations {

uint64_t count() {
    return counted.load();
}
void fail_at(uint64_t nth) {
    failed = false;
    failing = nth == 0 ? 0 : counted.load() + nth;
}
bool has_failed() {
    return failed.load();
}
void keep_deleted(size_t size) {
    kept_size = size;
}
size_t release_kept(size_t* written) {
    const size_t size = kept_size.exchange(0);
    const size_t n = kept_count.exchange(0);
    *written = 0;
    for (size_t i = 0; i < n; ++i) {
        const auto* bytes = static_cast<const unsigned char*>(kept[i]);
        *written += std::all_of(bytes, bytes + size, [](unsigned char b) { return b == kMark; }) ? 0 : 1;
        std::free(kept[i]);
    }
    return n;
}

} // namespace allocations

void* operator new(size_t size) {
    return or_throw(take(size));
}
void* operator new[](size_t size) {
    return or_throw(take(size));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return take(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
    return take(size);
}
void* operator new(size_t size, std::align_val_t a) {
    return or_throw(take_aligned(size, a));
}
void* operator new[](size_t size, std::align_val_t a) {
    return or_throw(take_aligned(size, a));
}
void* operator new(size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return take_aligned(size, a);
}
void* operator new[](size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return take_aligned(size, a);
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete[](void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, size_t size) noexcept {
    if (keep(p, size)) return;
    std::free(p);
}
void operator delete[](void* p, size_t) noexcept {
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
    std::free(p);
}
