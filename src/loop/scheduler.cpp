// SPDX-License-Identifier: ISC
// The loop's ready queue and the switches between what is on it.
#include "base/assert.hpp"
#include "loop/await.hpp"
#include "loop/loop.hpp"
#include "loop/plain_park.hpp"
#include "loop/process.hpp"

namespace xtc {

void Task::set_state(TaskState to) {
    XTC_ASSERT(is_legal(now_in(), to));
    state.store(to, std::memory_order_relaxed);
}

Handle Task::handle() const {
    return Handle::make(HandleKind::task, loop->index(), slot, gen.load(std::memory_order_relaxed));
}

WakeToken Task::token() const {
    return WakeToken::make(loop->index(), slot, epoch);
}

void Loop::make_ready(Task& t) {
    t.set_state(TaskState::ready);
    t.next = nullptr;
    (ready_tail_ == nullptr ? ready_head_ : ready_tail_->next) = &t;
    ready_tail_ = &t;
    ++ready_count_;
}

// First come, first served; a chooser may take one from the middle.
Task* Loop::pop_ready() {
    Task* before = nullptr;
    Task* t = ready_head_;
    if (chooser_ != nullptr && ready_count_ > 1) {
        for (uint32_t k = chooser_->choose(chooser_self_, ready_count_); k > 0; --k) {
            before = t;
            t = t->next;
        }
    }
    (before == nullptr ? ready_head_ : before->next) = t->next;
    if (ready_tail_ == t) ready_tail_ = before;
    --ready_count_;
    t->next = nullptr;
    return t;
}

void Loop::wake_task(Task& t, uint32_t epoch) {
    if (t.epoch != epoch) return;
    note(XTC_NOTE_WAKE, t.slot, epoch);
    switch (t.now_in()) {
    case TaskState::parked:
        make_ready(t);
        break;
    case TaskState::running:
        t.latched = true;
        break;
    default:
        break;
    }
}

void Loop::nudge(Task& t) {
    t.nudged = true;
    if (t.now_in() != TaskState::parked) return;
    note(XTC_NOTE_WAKE, t.slot, 0);
    make_ready(t);
}

void Loop::on_task_timer(TimerNode& node) {
    Task& t = *static_cast<Task::SleepTimer&>(node).task;
    t.timed_out = true;
    if (t.is_fiber())
        t.loop->wake_task(t, t.epoch);
    else
        t.loop->nudge(t);
}

void Loop::run_ready(uint32_t max_runs, uint32_t& handled) {
    budget_ = max_runs;
    while (budget_ > 0 && ready_head_ != nullptr) {
        Task* t = pop_ready();
        --budget_;
        note(XTC_NOTE_RUN, t->slot, t->epoch);
        if (yield_budget.load(std::memory_order_relaxed) > 0) quantum_start_ = now();
        current_ = t;
        t->set_state(TaskState::running);
        if (t->is_fiber()) {
            context_switch(main_, t->ctx, eh_);
            arrived();
        } else {
            run_plain(*t);
        }
        current_ = nullptr;
    }
    const uint32_t done = max_runs - budget_ - skipped_;
    skipped_ = 0;
    budget_ = 0;
    handled += done;
    runs_.store(runs_.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
}

// The next fiber to switch to without going back to run_ready: one switch instead of two.
Task* Loop::next_fiber() {
    if (budget_ == 0 || chooser_ != nullptr || ready_head_ == nullptr || !ready_head_->is_fiber())
        return nullptr;
    Task* t = pop_ready();
    --budget_;
    if (yield_budget.load(std::memory_order_relaxed) > 0) quantum_start_ = now();
    t->set_state(TaskState::running);
    if (Task* after = ready_head_) { // its record came into the cache a step ago
        __builtin_prefetch(after->ctx.sp);
        __builtin_prefetch(after->next);
    }
    return t;
}

void Loop::switch_out(Task& t) {
    Task* next = next_fiber();
    if (next == &t) return;
    current_ = next;
    context_switch(t.ctx, next != nullptr ? next->ctx : main_, eh_);
    arrived();
}

void Loop::arrived() {
    if (!zombie_stack_) return;
    context_destroy(zombie_ctx_);
    stacks_.give(zombie_stack_);
}

void Loop::leave(Task& t) {
    XTC_ASSERT(current_ == &t);
    if (t.kind == TaskKind::proc) run_exit_hooks(t);
    *eh_ = {}; // whatever was being handled was left behind
    note(XTC_NOTE_EXIT, t.slot, static_cast<uint64_t>(t.result));
    zombie_stack_ = t.stack;
    zombie_ctx_ = t.ctx;
    t.stack = {};
    const bool kept = t.keep_result && !deliver_result(t);
    t.set_state(kept ? TaskState::finished : TaskState::free);
    if (!kept) release(t);
    live_down();
    Task* next = next_fiber();
    current_ = next;
    context_leave(zombie_ctx_, next != nullptr ? next->ctx : main_, eh_);
}

__attribute__((noinline)) void Loop::fiber_main(Context&) {
    Loop& loop = *current_loop();
    Task& t = *loop.current_;
    loop.arrived();
    _Unwind_Exception unwinder;
    t.entry_frame = __builtin_frame_address(0); // not a local's address: a sanitizer may keep those elsewhere
    t.unwinder = &unwinder;
    if (t.kind == TaskKind::coro) {
        t.result = t.fn.coro(t.arg);
    } else {
        // A process killed before it ever ran has nothing to unwind.
        t.result = t.kill_due() ? t.kill_reason() : 0;
        if (!t.kill_due()) t.fn.proc(t.arg);
    }
    loop.leave(t);
}

void Loop::run_plain(Task& t) {
    disarm_timer(t.timer);
    if (t.park_op != nullptr) detach_park_op(t);
    t.nudged = false;
    t.timed_out = false;
    const int rc = t.fn.plain(t.handle().as<xtc_task_t>(), t.arg);
    if (rc == XTC_TASK_RESCHED || (rc == XTC_TASK_PENDING && t.nudged)) {
        make_ready(t);
        return;
    }
    if (rc == XTC_TASK_PENDING) {
        t.set_state(TaskState::parked);
        return;
    }
    disarm_timer(t.timer);
    if (t.park_op != nullptr) detach_park_op(t);
    note(XTC_NOTE_EXIT, t.slot, 0);
    t.set_state(TaskState::free);
    release(t);
    live_down();
}

} // namespace xtc
