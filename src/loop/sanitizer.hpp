// SPDX-License-Identifier: ISC
// What the sanitizers and valgrind must be told about stacks and switches. Empty in a plain build.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define XTC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XTC_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define XTC_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XTC_TSAN 1
#endif
#endif
#ifndef XTC_ASAN
#define XTC_ASAN 0
#endif
#ifndef XTC_TSAN
#define XTC_TSAN 0
#endif

#if XTC_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if XTC_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace xtc::san {

// A stack's memory exists from now on; LeakSanitizer must look into it for pointers.
inline void learn_stack([[maybe_unused]] void* bottom, [[maybe_unused]] size_t size) {
#if XTC_ASAN
    __lsan_register_root_region(bottom, size);
#endif
}

inline void forget_stack([[maybe_unused]] void* bottom, [[maybe_unused]] size_t size) {
#if XTC_ASAN
    __asan_unpoison_memory_region(bottom, size);
    __lsan_unregister_root_region(bottom, size);
#endif
}

// Frames that were left by unwinding or dropped leave their poison behind.
inline void clean_stack([[maybe_unused]] void* bottom, [[maybe_unused]] size_t size) {
#if XTC_ASAN
    __asan_unpoison_memory_region(bottom, size);
#endif
}

// A correct hand-over that TSan cannot see (the kernel in between).
inline void release([[maybe_unused]] void* p) {
#if XTC_TSAN
    __tsan_release(p);
#endif
}
inline void acquire([[maybe_unused]] void* p) {
#if XTC_TSAN
    __tsan_acquire(p);
#endif
}

} // namespace xtc::san
