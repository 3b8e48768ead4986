// SPDX-License-Identifier: ISC
// Where a model's code meets the outside: what the compiler tells of plain accesses (-fsanitize=thread,
// without its library), allocation, failed assertions. System calls are in kernel.cpp.
#include "execution.hpp"

#include "base/assert.hpp"

#include <cstdlib>
#include <new>

using xtc::model::Execution;

namespace {

Execution* at_work() {
    Execution* x = Execution::current();
    return x != nullptr && x->is_user() ? x : nullptr;
}

uint16_t next_number(const Execution& x) {
    return static_cast<uint16_t>(x.graph().count(x.running()) + 1);
}

void touch(const void* address, size_t size, bool is_write) {
    Execution* x = at_work();
    if (x == nullptr || x->on_own_stack(address)) return;
    x->set_user(false);
    const int t = x->running();
    if (const char* fault =
            x->memory().access(address, size, is_write, t, next_number(*x), x->graph().clock(t)))
        x->fail_here(fault + (" by " + x->thread_name(t)));
    x->set_user(true);
}

void* get(size_t size, size_t alignment) {
    Execution* x = at_work();
    void* p = nullptr;
    if (x == nullptr) {
        p = alignment <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(alignment, size);
    } else {
        x->set_user(false);
        p = x->memory().allocate(size, alignment);
        x->set_user(true);
    }
    if (p == nullptr) std::abort();
    return p;
}

void put(void* p) {
    if (p == nullptr) return;
    Execution* x = Execution::current();
    if (x != nullptr) {
        const bool was_user = x->is_user();
        x->set_user(false);
        const int t = x->running();
        const char* fault = nullptr;
        const bool is_known = x->memory().release(p, t, next_number(*x), x->graph().clock(t), &fault);
        if (fault != nullptr && was_user) x->fail_here(fault + (" by " + x->thread_name(t)));
        x->set_user(was_user);
        if (is_known) return;
    }
    std::free(p);
}

} // namespace

void* operator new(size_t size) {
    return get(size, 0);
}
void* operator new(size_t size, std::align_val_t alignment) {
    return get(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return get(size, 0);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
    return get(size, 0);
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return get(size, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept {
    put(p);
}
void operator delete(void* p, size_t) noexcept {
    put(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    put(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
    put(p);
}

namespace xtc {

void assert_failed(const char* file, int line, const char* expression) noexcept {
    if (Execution* x = at_work()) {
        x->set_user(false);
        x->fail_here("assertion: " + std::string(expression) + " (" + file + ":" + std::to_string(line) +
                     ")");
    }
    std::fprintf(stderr, "%s:%d: assertion: %s\n", file, line, expression);
    std::abort();
}

} // namespace xtc

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** p, void*) {
    touch(p, 8, true);
}
void __tsan_vptr_read(void** p) {
    touch(p, 8, false);
}
void __tsan_read1(void* p) {
    touch(p, 1, false);
}
void __tsan_read2(void* p) {
    touch(p, 2, false);
}
void __tsan_read4(void* p) {
    touch(p, 4, false);
}
void __tsan_read8(void* p) {
    touch(p, 8, false);
}
void __tsan_read16(void* p) {
    touch(p, 16, false);
}
void __tsan_write1(void* p) {
    touch(p, 1, true);
}
void __tsan_write2(void* p) {
    touch(p, 2, true);
}
void __tsan_write4(void* p) {
    touch(p, 4, true);
}
void __tsan_write8(void* p) {
    touch(p, 8, true);
}
void __tsan_write16(void* p) {
    touch(p, 16, true);
}
void __tsan_unaligned_read2(void* p) {
    touch(p, 2, false);
}
void __tsan_unaligned_read4(void* p) {
    touch(p, 4, false);
}
void __tsan_unaligned_read8(void* p) {
    touch(p, 8, false);
}
void __tsan_unaligned_read16(void* p) {
    touch(p, 16, false);
}
void __tsan_unaligned_write2(void* p) {
    touch(p, 2, true);
}
void __tsan_unaligned_write4(void* p) {
    touch(p, 4, true);
}
void __tsan_unaligned_write8(void* p) {
    touch(p, 8, true);
}
void __tsan_unaligned_write16(void* p) {
    touch(p, 16, true);
}
void __tsan_read_range(void* p, size_t n) {
    if (n != 0) touch(p, n, false);
}
void __tsan_write_range(void* p, size_t n) {
    if (n != 0) touch(p, n, true);
}
void* __tsan_memcpy(void* to, const void* from, size_t n) {
    if (n != 0) touch(to, n, true), touch(from, n, false);
    return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, size_t n) {
    if (n != 0) touch(to, n, true), touch(from, n, false);
    return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* p, int c, size_t n) {
    if (n != 0) touch(p, n, true);
    return __builtin_memset(p, c, n);
}

} // extern "C"
