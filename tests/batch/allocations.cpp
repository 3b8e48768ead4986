// SPDX-License-Identifier: ISC
#include "batch/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> failing{0}; // the count at which one fails
std::atomic<bool> failed{false};

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
void operator delete(void* p, size_t) noexcept {
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
