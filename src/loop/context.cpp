// SPDX-License-Identifier: ISC
#include "loop/context.hpp"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>

#include "base/assert.hpp"
#include "loop/stack.hpp"

namespace xtc {
namespace {

namespace bc = boost::context::detail;

// Whoever we arrive from left its registers on its own stack: note where.
inline Context& arrive(bc::transfer_t t) {
    auto* self = static_cast<Context*>(t.data);
    [[maybe_unused]] Context* from = self->from;
    from->sp = t.fctx;
#if XTC_ASAN
    const void* bottom = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
    if (from->bottom == nullptr) { // a thread's own stack: only the sanitizer knows its bounds
        from->bottom = bottom;
        from->size = size;
    }
#endif
    return *self;
}

// jump_fcontext leaves by an indirect jump: a call to it would leave an entry on the processor's return
// stack that nobody pops, and the four or five returns of the fiber we arrive in would all be mispredicted.
// Entered by a jump, with the way back pushed by hand, that stack stays in step.
inline bc::transfer_t enter(bc::fcontext_t to, void* data) {
#if defined(__x86_64__)
    bc::transfer_t back;
    asm volatile("leaq -128(%%rsp), %%rsp\n\t" // the red zone
                 "leaq 1f(%%rip), %%rax\n\t"
                 "pushq %%rax\n\t"
                 "jmp jump_fcontext@PLT\n"
                 "1:\tleaq 128(%%rsp), %%rsp"
                 : "=a"(back.fctx), "=d"(back.data), "+D"(to), "+S"(data)
                 :
                 : "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",
                   "cc");
    return back;
#else
    return bc::jump_fcontext(to, data);
#endif
}

// After start_switch_fiber nothing of our frame may be read from memory: a dying fiber's locals whose address
// was taken are gone with its fake stack.
inline bc::transfer_t jump(Context& from, Context& to, EhGlobals* eh, [[maybe_unused]] bool dying) {
    from.eh = *eh;
    *eh = to.eh;
    to.from = &from;
#if XTC_ASAN
    __sanitizer_start_switch_fiber(dying ? nullptr : &from.fake_stack, to.bottom, to.size);
#endif
#if XTC_TSAN
    __tsan_switch_to_fiber(to.tsan, 0);
#endif
    return enter(to.sp, &to);
}

void start(bc::transfer_t t) {
    Context& self = arrive(t);
    self.entry(self);
    XTC_UNREACHABLE();
}

} // namespace

EhGlobals* thread_eh_globals() {
    return reinterpret_cast<EhGlobals*>(abi::__cxa_get_globals());
}

void context_adopt_thread([[maybe_unused]] Context& self) {
#if XTC_TSAN
    self.tsan = __tsan_get_current_fiber();
#endif
#if XTC_ASAN
    self.bottom = nullptr;
#endif
}

void context_make(Context& ctx, const Stack& stack, ContextEntry entry) {
    ctx.entry = entry;
    ctx.eh = {};
#if XTC_ASAN
    ctx.fake_stack = nullptr;
    ctx.bottom = stack.bottom;
    ctx.size = stack.size;
#endif
#if XTC_TSAN
    ctx.tsan = __tsan_create_fiber(0);
#endif
    ctx.sp = bc::make_fcontext(stack.start(), static_cast<size_t>(stack.start() - stack.bottom), start);
}

void context_destroy([[maybe_unused]] Context& ctx) {
#if XTC_TSAN
    if (ctx.tsan != nullptr) __tsan_destroy_fiber(ctx.tsan);
    ctx.tsan = nullptr;
#endif
}

void context_switch(Context& from, Context& to, EhGlobals* thread_eh) {
    arrive(jump(from, to, thread_eh, false));
}

// ASan would put `t` on the fiber's fake stack, which ends with the fiber before the other side has read it.
__attribute__((no_sanitize("address"))) void context_leave(Context& from, Context& to, EhGlobals* thread_eh) {
    jump(from, to, thread_eh, true);
    XTC_UNREACHABLE();
}

} // namespace xtc
