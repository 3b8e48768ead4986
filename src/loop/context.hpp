// SPDX-License-Identifier: ISC
// Switching stacks, with all that must be switched beside the registers.
#pragma once

#include <cstddef>

#include "loop/sanitizer.hpp"

namespace xtc {

struct Stack;

// Layout of __cxa_eh_globals: which exceptions are being handled. Boost.Context does not switch it.
struct EhGlobals {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

struct Context;
using ContextEntry = void (*)(Context& self); // never returns: it ends with context_leave

struct Context {
    void* sp = nullptr;      // of a suspended context
    Context* from = nullptr; // who switched here last; not on a stack, which may be gone by then
    EhGlobals eh;
    ContextEntry entry = nullptr;
#if XTC_ASAN
    void* fake_stack = nullptr;
    const void* bottom = nullptr;
    size_t size = 0;
#endif
#if XTC_TSAN
    void* tsan = nullptr;
#endif
};

EhGlobals* thread_eh_globals();

// The context of the thread that calls; fills in what the sanitizers need to come back to it.
void context_adopt_thread(Context& self);
// A context that will call entry(ctx) on its first switch.
void context_make(Context& ctx, const Stack& stack, ContextEntry entry);
void context_destroy(Context& ctx); // a suspended or finished context of context_make
// Saves the caller in `from`, goes on in `to`; returns when somebody switches to `from`.
void context_switch(Context& from, Context& to, EhGlobals* thread_eh);
// The same for a context that is never resumed.
[[noreturn]] void context_leave(Context& from, Context& to, EhGlobals* thread_eh);

} // namespace xtc
