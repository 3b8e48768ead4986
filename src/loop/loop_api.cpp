// SPDX-License-Identifier: ISC
// C ABI of xtc_loop.h and xtc_io.h.
#include <algorithm>

#include "loop/driver_factory.hpp"
#include "loop/exec.hpp"
#include "loop/loop.hpp"
#include "loop/plain_park.hpp"
#include "loop/remote.hpp"
#include "loop/spawn.hpp"
#include "xtc_io.h"
#include "xtc_loop.h"

using namespace xtc;

namespace {

Loop* as_loop(xtc_loop_t* l) {
    return reinterpret_cast<Loop*>(l);
}

// The running plain task, if `self` names it.
Task* running_task(xtc_task_t* self) {
    Loop* loop = current_loop();
    Task* t = loop != nullptr ? loop->current() : nullptr;
    if (t == nullptr || t->is_fiber() || t->handle().bits != Handle::from(self).bits) return nullptr;
    return t;
}

void user_timer_fired(TimerNode& node) {
    auto& t = static_cast<UserTimer&>(node);
    Loop& loop = *t.loop;
    const xtc_timer_fn fn = t.fn;
    void* user = t.user;
    loop.user_timers().give(t);
    fn(user);
    loop.live_down();
}

} // namespace

int xtc_loop_init(xtc_loop_t** out) {
    if (out == nullptr) return XTC_E_INVAL;
    Loop* loop = nullptr;
    if (int rc = Loop::make(nullptr, -1, &loop); rc != XTC_OK) return rc;
    *out = reinterpret_cast<xtc_loop_t*>(loop);
    return XTC_OK;
}

int xtc_loop_fini(xtc_loop_t* l) {
    Loop* loop = as_loop(l);
    if (loop == nullptr || loop->exec() != nullptr) return XTC_E_INVAL;
    if (!loop->inherited() && (loop->is_running() || current_loop() == loop)) return XTC_E_INVAL;
    delete loop;
    return XTC_OK;
}

int xtc_loop_run(xtc_loop_t* l) {
    Loop* loop = as_loop(l);
    if (loop == nullptr || loop->exec() != nullptr) return XTC_E_INVAL;
    return loop->run();
}

int xtc_loop_stop(xtc_loop_t* l) {
    Loop* loop = as_loop(l);
    if (loop == nullptr || loop->inherited()) return XTC_E_INVAL;
    loop->request_stop();
    return XTC_OK;
}

int xtc_loop_wake(xtc_loop_t* l) {
    Loop* loop = as_loop(l);
    if (loop == nullptr || loop->inherited()) return XTC_E_INVAL;
    loop->wake_up();
    return XTC_OK;
}

xtc_res_t* xtc_loop_res(xtc_loop_t* l) {
    return l == nullptr ? nullptr : as_loop(l)->res();
}

int xtc_loop_set_spin(xtc_loop_t* l, int64_t max_ns) {
    return l == nullptr ? XTC_E_INVAL : as_loop(l)->set_spin(max_ns);
}

int xtc_loop_pollfd(xtc_loop_t* l) {
    return l == nullptr ? XTC_E_INVAL : as_loop(l)->pollfd();
}

int64_t xtc_loop_next_deadline(xtc_loop_t* l) {
    if (l == nullptr || as_loop(l)->inherited()) return -1;
    Loop& loop = *as_loop(l);
    if (loop.is_runnable()) return 0;
    const int64_t deadline = loop.next_deadline();
    if (deadline == XTC_UNTIL_NEVER) return -1;
    const int64_t now = loop.now();
    return deadline > now ? deadline - now : 0;
}

int xtc_loop_step(xtc_loop_t* l, int64_t timeout_ns) {
    return l == nullptr ? XTC_E_INVAL : as_loop(l)->step(timeout_ns);
}

int xtc_task_spawn(xtc_loop_t* l, xtc_task_fn fn, void* user, xtc_task_t** out) {
    if (l == nullptr || fn == nullptr) return XTC_E_INVAL;
    SpawnSpec spec;
    spec.plain = fn;
    spec.arg = user;
    return spawn_with_handle(*as_loop(l), spec, out);
}

int xtc_task_waker(xtc_task_t* task, xtc_waker_t* out) {
    const Handle h = Handle::from(task);
    if (out == nullptr || !h.is(HandleKind::task)) return XTC_E_INVAL;
    LoopPin loop(h.loop());
    if (!loop) return XTC_E_INVAL;
    Task* t = loop->tasks().find(h.slot());
    if (t == nullptr || !t->live.load() || t->gen.load() != h.gen()) return XTC_E_INVAL;
    out->loop = reinterpret_cast<xtc_loop_t*>(&*loop);
    out->task = task;
    return XTC_OK;
}

int xtc_waker_wake(const xtc_waker_t* waker) {
    if (waker == nullptr) return XTC_E_INVAL;
    const Handle h = Handle::from(waker->task);
    if (!h.is(HandleKind::task)) return XTC_E_INVAL;
    LoopPin loop(h.loop());
    if (!loop) return XTC_OK; // its task is gone with it
    Task* t = loop->tasks().find(h.slot());
    if (t != nullptr && t->live.load(std::memory_order_acquire) &&
        t->gen.load(std::memory_order_acquire) == h.gen())
        nudge_from_anywhere(*t);
    return XTC_OK;
}

int xtc_task_park_on_timer(xtc_task_t* self, int64_t delay_ns) {
    Task* t = running_task(self);
    return t == nullptr ? XTC_E_INVAL : park_on_timer(*t, delay_ns);
}

int xtc_task_park_on_fd(xtc_task_t* self, int fd, uint32_t interest) {
    Task* t = running_task(self);
    return t == nullptr || fd < 0 ? XTC_E_INVAL : park_on_fd(*t, fd, interest);
}

int xtc_timer_set(xtc_loop_t* l, int64_t delay_ns, xtc_timer_fn fn, void* user, xtc_timer_t** out) {
    if (l == nullptr || fn == nullptr || delay_ns < 0) return XTC_E_INVAL;
    Loop& loop = *as_loop(l);
    if (loop.inherited() || !loop.is_callers()) return XTC_E_INVAL;
    UserTimer* t = loop.user_timers().take();
    if (t == nullptr) return XTC_E_NOMEM;
    if (!loop.reserve_timer()) {
        loop.user_timers().give(*t);
        return XTC_E_NOMEM;
    }
    t->loop = &loop;
    t->fn = fn;
    t->user = user;
    t->fire = user_timer_fired;
    loop.live_up();
    loop.arm_timer(*t, std::min(deadline_after(loop, delay_ns), XTC_UNTIL_NEVER - 1));
    if (out != nullptr)
        *out = Handle::make(HandleKind::timer, loop.index(), t->slot, t->gen).as<xtc_timer_t>();
    return XTC_OK;
}

int xtc_timer_cancel(xtc_timer_t* timer) {
    const Handle h = Handle::from(timer);
    if (!h.is(HandleKind::timer)) return XTC_E_INVAL;
    LoopPin loop(h.loop());
    if (!loop) return XTC_OK;
    if (!loop->is_callers()) return XTC_E_INVAL;
    UserTimer* t = loop->user_timers().find(h.slot(), h.gen());
    if (t == nullptr) return XTC_OK;
    loop->disarm_timer(*t);
    loop->user_timers().give(*t);
    loop->live_down();
    return XTC_OK;
}

const char* xtc_io_backend_name(void) {
    if (Loop* here = current_loop()) return here->backend();
    Backend backend = Backend::epoll;
    if (driver_choose(&backend, Teller{}) != XTC_OK) return "none";
    return backend_name(backend);
}
