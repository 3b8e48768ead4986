// SPDX-License-Identifier: ISC
#include "loop/stack.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "loop/sanitizer.hpp"
#include "xtc.h"
#include "xtc_log.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 // Linux 6.13
#endif

namespace xtc {

// One mapping of several stacks. Never freed while the process lives, only reused: a signal handler may be
// reading the list.
struct StackSlab {
    std::atomic<uintptr_t> base{0}; // 0: not in use
    size_t stride = 0;
    uint32_t count = 0;
    uint32_t used = 0; // stacks handed out at least once
    std::atomic<Task*>* owners = nullptr;
    size_t owners_cap = 0;
    StackSlab* next = nullptr; // constant once published
};

namespace {

constexpr size_t kSlabBytes = 2 * 1024 * 1024;
constexpr uint32_t kMaxPerSlab = 32;

std::atomic<StackSlab*> g_slabs{nullptr};
std::atomic<size_t> g_default_size{64 * 1024};
std::atomic<bool> g_guard_by_mprotect{false};

size_t page_round(size_t n) {
    static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return (n + page - 1) & ~(page - 1);
}

StackSlab* claim_slab(uint32_t count) {
    // base 1 marks a slab that somebody is filling.
    for (StackSlab* s = g_slabs.load(std::memory_order_acquire); s != nullptr; s = s->next) {
        uintptr_t unused = 0;
        if (s->owners_cap >= count && s->base.compare_exchange_strong(unused, 1, std::memory_order_acquire))
            return s;
    }
    auto* s = new (std::nothrow) StackSlab;
    if (s == nullptr) return nullptr;
    s->owners = new (std::nothrow) std::atomic<Task*>[kMaxPerSlab];
    if (s->owners == nullptr) {
        delete s;
        return nullptr;
    }
    s->owners_cap = kMaxPerSlab;
    s->base.store(1, std::memory_order_relaxed);
    s->next = g_slabs.load(std::memory_order_relaxed);
    while (!g_slabs.compare_exchange_weak(s->next, s, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return s;
}

bool install_guard(char* low) {
    if (!g_guard_by_mprotect.load(std::memory_order_relaxed)) {
        if (madvise(low, kGuard, MADV_GUARD_INSTALL) == 0) return true;
        g_guard_by_mprotect.store(true, std::memory_order_relaxed);
    }
    return mprotect(low, kGuard, PROT_NONE) == 0;
}

} // namespace

StackPool::~StackPool() {
    for (StackSlab* s : slabs_) {
        const uintptr_t base = s->base.exchange(1, std::memory_order_acq_rel);
        for (uint32_t i = 0; i < s->used; ++i) {
            char* bottom = reinterpret_cast<char*>(base) + i * s->stride + kGuard;
            san::forget_stack(bottom, s->stride - kGuard);
        }
        // In a forked child the one who frees the loop may stand on a fiber's stack: that slab stays.
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        if (here - base < s->stride * s->count) continue;
        munmap(reinterpret_cast<void*>(base), s->stride * s->count);
        s->base.store(0, std::memory_order_release);
    }
}

StackPool::SizeClass* StackPool::size_class(size_t size) {
    for (SizeClass& c : classes_)
        if (c.size == size) return &c;
    try {
        classes_.push_back({size, nullptr, nullptr});
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    return &classes_.back();
}

int StackPool::add_slab(SizeClass& cls) {
    const size_t stride = cls.size + kGuard;
    const auto count = static_cast<uint32_t>(std::clamp<size_t>(kSlabBytes / stride, 1, kMaxPerSlab));
    try {
        slabs_.reserve(slabs_.size() + 1);
    } catch (const std::bad_alloc&) {
        return XTC_E_NOMEM;
    }
    StackSlab* s = claim_slab(count);
    if (s == nullptr) return XTC_E_NOMEM;
    void* map = mmap(nullptr, stride * count, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED) {
        s->base.store(0, std::memory_order_release);
        return XTC_E_NOMEM;
    }
    (void)madvise(map, stride * count, MADV_NOHUGEPAGE); // a huge page per stack would cost 2 MiB each
    s->stride = stride;
    s->count = count;
    s->used = 0;
    for (uint32_t i = 0; i < count; ++i) s->owners[i].store(nullptr, std::memory_order_relaxed);
    s->base.store(reinterpret_cast<uintptr_t>(map), std::memory_order_release);
    slabs_.push_back(s);
    cls.fresh = s;
    return XTC_OK;
}

int StackPool::take(size_t size, Task* owner, Stack* out) {
    XTC_ASSERT(size >= kMinStack);
    SizeClass* cls = size_class(page_round(size));
    if (cls == nullptr) return XTC_E_NOMEM;
    if (cls->free != nullptr) {
        FreeNode* node = cls->free;
        cls->free = node->next;
        StackSlab* s = node->slab;
        const uint32_t i = node->index;
        char* bottom =
            reinterpret_cast<char*>(s->base.load(std::memory_order_relaxed)) + i * s->stride + kGuard;
        s->owners[i].store(owner, std::memory_order_release);
        *out = {bottom, cls->size, s, i};
        return XTC_OK;
    }
    if (cls->fresh == nullptr || cls->fresh->used == cls->fresh->count) {
        if (int rc = add_slab(*cls); rc != XTC_OK) return rc;
    }
    StackSlab* s = cls->fresh;
    const uint32_t i = s->used;
    char* low = reinterpret_cast<char*>(s->base.load(std::memory_order_relaxed)) + i * s->stride;
    if (!install_guard(low)) {
        log_sentence(
            XTC_LOG_ERROR,
            "no guard page for a fiber stack (errno %d): the process is at its limit of memory mappings; "
            "raise vm.max_map_count or use Linux 6.13 or later",
            errno);
        return XTC_E_RESOURCE;
    }
    s->used++;
    char* bottom = low + kGuard;
    san::learn_stack(bottom, cls->size);
    s->owners[i].store(owner, std::memory_order_release);
    *out = {bottom, cls->size, s, i};
    return XTC_OK;
}

void StackPool::give(Stack& stack) {
    san::clean_stack(stack.bottom, stack.size);
    stack.slab->owners[stack.index].store(nullptr, std::memory_order_release);
    auto* node = reinterpret_cast<FreeNode*>(stack.top() - sizeof(FreeNode));
    SizeClass* cls = size_class(stack.size);
    node->slab = stack.slab;
    node->index = stack.index;
    node->next = cls->free;
    cls->free = node;
    stack = {};
}

Task* stack_owner(const void* addr) {
    const auto a = reinterpret_cast<uintptr_t>(addr);
    for (StackSlab* s = g_slabs.load(std::memory_order_acquire); s != nullptr; s = s->next) {
        const uintptr_t base = s->base.load(std::memory_order_acquire);
        if (base <= 1 || a < base || a >= base + s->stride * s->count) continue;
        return s->owners[(a - base) / s->stride].load(std::memory_order_acquire);
    }
    return nullptr;
}

size_t default_stack_size() {
    return g_default_size.load(std::memory_order_relaxed);
}

int set_default_stack_size(size_t bytes) {
    if (bytes < kMinStack || bytes > (size_t{1} << 40)) return XTC_E_INVAL;
    g_default_size.store(page_round(bytes), std::memory_order_relaxed);
    return XTC_OK;
}

} // namespace xtc
