// SPDX-License-Identifier: ISC
#include "loop/context.hpp"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>

#include "base/assert.hpp"
#include "loop/stack.hpp"

namespace xtc {
namespace {

namespace bc = boost::context::detail;

struct Transfer { // on the stack of the one who leaves; read before anything else runs
    Context* from;
    Context* to;
};

// Whoever we arrive from left its registers on its own stack: note where.
inline Context& arrive(bc::transfer_t t) {
    auto [from, self] = *static_cast<Transfer*>(t.data);
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

inline bc::transfer_t jump(Transfer& t, EhGlobals* eh, [[maybe_unused]] bool dying) {
    t.from->eh = *eh;
    *eh = t.to->eh;
#if XTC_ASAN
    __sanitizer_start_switch_fiber(dying ? nullptr : &t.from->fake_stack, t.to->bottom, t.to->size);
#endif
#if XTC_TSAN
    __tsan_switch_to_fiber(t.to->tsan, 0);
#endif
    return bc::jump_fcontext(t.to->sp, &t);
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
    ctx.sp = bc::make_fcontext(stack.top(), stack.size, start);
}

void context_destroy([[maybe_unused]] Context& ctx) {
#if XTC_TSAN
    if (ctx.tsan != nullptr) __tsan_destroy_fiber(ctx.tsan);
    ctx.tsan = nullptr;
#endif
}

void context_switch(Context& from, Context& to, EhGlobals* thread_eh) {
    Transfer t{&from, &to};
    arrive(jump(t, thread_eh, false));
}

void context_leave(Context& from, Context& to, EhGlobals* thread_eh) {
    Transfer t{&from, &to};
    jump(t, thread_eh, true);
    XTC_UNREACHABLE();
}

} // namespace xtc
