// SPDX-License-Identifier: ISC
//
// Checks of our own invariants. A user's mistake is a status code, never one of these.
#pragma once

namespace xtc {

// Writes one line to stderr with write(2) (no stdio, no allocation) and aborts.
[[noreturn]] void assert_failed(const char* file, int line, const char* expression) noexcept;

} // namespace xtc

// On in every build: cheap conditions only.
#define XTC_ASSERT(...)                                                                                      \
    (__builtin_expect(static_cast<bool>(__VA_ARGS__), 1)                                                     \
         ? static_cast<void>(0)                                                                              \
         : ::xtc::assert_failed(__FILE__, __LINE__, #__VA_ARGS__))

// For conditions that cost something (walking a list): on with -Ddebug_checks=true, and in sanitizer builds.
// Off, the condition still has to compile but is not evaluated.
#ifdef XTC_DEBUG_CHECKS
#define XTC_DASSERT(...) XTC_ASSERT(__VA_ARGS__)
#else
#define XTC_DASSERT(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))
#endif

#define XTC_UNREACHABLE() ::xtc::assert_failed(__FILE__, __LINE__, "unreachable code")
