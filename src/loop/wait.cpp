// SPDX-License-Identifier: ISC
#include "loop/wait.hpp"

#include "base/assert.hpp"
#include "loop/loop.hpp"
#include "loop/remote.hpp"
#include "loop/unwind.hpp"

namespace xtc {

void begin_sleep(Task& t) {
    XTC_ASSERT(t.loop->current() == &t);
    t.epoch = (t.epoch + 1) & kEpochMask;
    t.latched = false;
    t.timed_out = false;
}

namespace {

// Leaves by unwinding, or says that the wait is over because of a kill.
bool killed(Task& t, OnKill on_kill) {
    switch (on_kill) {
    case OnKill::unwind:
        if (t.kill_due()) unwind_fiber(t, t.kill_reason());
        return false;
    case OnKill::report:
        return t.kill_asked() && !t.in_exit;
    case OnKill::ignore:
        return false;
    }
    return false;
}

} // namespace

Woke park(Task& t, int64_t deadline, OnKill on_kill, ParkReason why) {
    Loop& loop = *t.loop;
    XTC_ASSERT(loop.current() == &t);
    if (killed(t, on_kill)) return Woke::killed;
    if (t.latched) return Woke::event;
    if (deadline != XTC_UNTIL_NEVER) loop.arm_timer(t.timer, deadline);
    t.on_kill = on_kill;
    t.park_reason.store(why, std::memory_order_relaxed);
    t.set_state(TaskState::parked);
    loop.switch_out(t);
    loop.disarm_timer(t.timer);
    t.park_reason.store(ParkReason::none, std::memory_order_relaxed);
    if (killed(t, on_kill)) return Woke::killed;
    return t.timed_out ? Woke::timeout : Woke::event;
}

void yield_fiber(Task& t) {
    killed(t, OnKill::unwind);
    t.loop->make_ready(t);
    t.loop->switch_out(t);
    killed(t, OnKill::unwind);
}

void wake(WakeToken token) {
    Loop* here = current_loop();
    if (here != nullptr && here->index() == token.loop()) {
        if (Task* t = here->tasks().find(token.slot())) here->wake_task(*t, token.epoch());
        return;
    }
    LoopPin loop(token.loop());
    if (!loop) return;
    if (Task* t = loop->tasks().find(token.slot())) remote_wake(*t, token.epoch());
}

int64_t deadline_after(Loop& loop, int64_t timeout_ns) {
    if (timeout_ns < 0) return XTC_UNTIL_NEVER;
    int64_t deadline;
    if (__builtin_add_overflow(loop.now(), timeout_ns, &deadline)) return XTC_UNTIL_NEVER;
    return deadline;
}

DropGuard::DropGuard(Task& task, void (*undo)(void*), void* arg) : task_(task), undo_(undo), arg_(arg) {
    drop = run;
    next = task.drop_hooks;
    task.drop_hooks = this;
}

DropGuard::~DropGuard() {
    XTC_ASSERT(task_.drop_hooks == this); // guards are scopes: last in, first out
    task_.drop_hooks = next;
}

void DropGuard::run(DropHook& hook) {
    auto& self = static_cast<DropGuard&>(hook);
    self.undo_(self.arg_);
}

} // namespace xtc
