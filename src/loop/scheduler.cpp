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
    if (has_classes())
        classes_->push(t, ready_);
    else
        ready_.push(t);
    ++ready_count_;
}

// A chooser may take one from the middle.
Task* Loop::pop_ready() {
    ReadyQueue& queue = has_classes() ? classes_->pick(ready_) : ready_;
    const uint32_t n = queue.size();
    --ready_count_;
    if (chooser_ == nullptr || n == 1) return queue.pop_front();
    return queue.pop(chooser_->choose(chooser_self_, n));
}

void Loop::begin_step() {
    if (!has_classes() && yield_budget.load(std::memory_order_relaxed) == 0) return;
    quantum_start_ = now();
    if (has_classes()) classes_->begin(quantum_start_);
}

void Loop::end_step(Task& t) {
    if (has_classes()) classes_->end(t.run_class, now());
}

int64_t Loop::yield_interval() const {
    const int64_t budget = yield_budget.load(std::memory_order_relaxed);
    const int64_t latency = has_classes() ? classes_->latency() : 0;
    return budget == 0 || (latency != 0 && latency < budget) ? latency : budget;
}

int Loop::make_class(int shares, int64_t latency_ns, xtc_run_class** out) {
    if (classes_ == nullptr) classes_.reset(new (std::nothrow) RunClasses);
    return classes_ != nullptr ? classes_->create(*this, shares, latency_ns, out) : XTC_E_NOMEM;
}

// What it ran until now counts for the class it leaves.
void Loop::set_class(Task& t, xtc_run_class* c) {
    XTC_ASSERT(current_ == &t);
    if (t.run_class == c) return;
    end_step(t);
    if (c != nullptr) join_class(*c);
    if (t.run_class != nullptr) leave_class(*t.run_class);
    t.run_class = c;
}

void Loop::join_class(xtc_run_class& c) {
    classes_->join(c, now());
    classes_on_ = true;
}

void Loop::leave_class(xtc_run_class& c) {
    classes_->leave(c);
    classes_on_ = classes_->is_on();
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
    while (budget_ > 0 && ready_count_ > 0) {
        Task* t = pop_ready();
        --budget_;
        note(XTC_NOTE_RUN, t->slot, t->epoch);
        begin_step();
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
    if (budget_ == 0 || chooser_ != nullptr || ready_count_ == 0) return nullptr;
    ReadyQueue& queue = has_classes() ? classes_->pick(ready_) : ready_;
    Task* t = queue.front();
    if (!t->is_fiber()) return nullptr;
    queue.pop_front();
    --ready_count_;
    --budget_;
    begin_step();
    t->set_state(TaskState::running);
    if (Task* after = queue.front()) { // its record came into the cache a step ago
        __builtin_prefetch(after->ctx.sp);
        __builtin_prefetch(static_cast<char*>(after->ctx.sp) + 64);
        __builtin_prefetch(static_cast<char*>(after->ctx.sp) + 128);
        __builtin_prefetch(after->next);
    }
    return t;
}

void Loop::switch_out(Task& t) {
    end_step(t);
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
    end_step(t);
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
    end_step(t);
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
