// SPDX-License-Identifier: ISC
#include "loop/unwind.hpp"

#include <cstring>

#include <unwind.h>

#include "base/assert.hpp"
#include "loop/loop.hpp"
#include "loop/sanitizer.hpp"
#include "loop/task.hpp"

namespace xtc {
namespace {

_Unwind_Reason_Code stop(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                         _Unwind_Context* context, void* arg) {
    Task& t = *static_cast<Task*>(arg);
    const bool at_entry = _Unwind_GetCFA(context) > reinterpret_cast<uintptr_t>(t.entry_frame);
    if (at_entry || (actions & _UA_END_OF_STACK)) t.loop->leave(t);
    return _URC_NO_REASON;
}

void swallowed(_Unwind_Reason_Code, _Unwind_Exception*) {
    if (Task* t = current_fiber()) t->unwinding = false;
}

} // namespace

void unwind_fiber(Task& t, int reason) {
    XTC_ASSERT(t.loop->current() == &t && !t.unwinding);
    // Asked for, so that a swallowed unwind is delivered again.
    const uint64_t gen = t.gen.load(std::memory_order_relaxed);
    t.kill_word.store(gen << 40 | uint64_t{1} << 32 | static_cast<uint32_t>(reason),
                      std::memory_order_relaxed);
    t.unwinding = true;
    t.result = reason;
    std::memset(t.unwinder, 0, sizeof *t.unwinder);
    t.unwinder->exception_cleanup = swallowed;
#if XTC_ASAN
    __asan_handle_no_return();
#endif
    _Unwind_ForcedUnwind(t.unwinder, stop, &t);
    XTC_UNREACHABLE();
}

} // namespace xtc
