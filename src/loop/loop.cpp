// SPDX-License-Identifier: ISC
#include "loop/loop.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "loop/await.hpp"
#include "loop/exec.hpp"
#include "loop/fd_claims.hpp"
#include "loop/plain_park.hpp"
#include "loop/pool.hpp"
#include "loop/process.hpp"
#include "loop/stack_report.hpp"
#include "xtc.h"
#include "xtc_log.h"

namespace xtc {

thread_local Loop* tl_current_loop __attribute__((tls_model("initial-exec"))) = nullptr;

Task* current_fiber() {
    Loop* loop = current_loop();
    if (loop == nullptr) return nullptr;
    Task* t = loop->current();
    return t != nullptr && t->is_fiber() ? t : nullptr;
}

Task* current_proc() {
    Task* t = current_fiber();
    return t != nullptr && t->kind == TaskKind::proc ? t : nullptr;
}

namespace {

void log_refusal(void*, const char* sentence) {
    log_sentence(XTC_LOG_WARN, "%s", sentence);
}
constexpr Teller kLogRefusals{log_refusal, nullptr};

int64_t lent_now(void* self) {
    return static_cast<Loop*>(self)->now();
}
int lent_sleep(void*, int64_t) {
    return XTC_E_DEADLK;
} // it would stop the only thread

// The loop whose turn it is, for a scope. Another loop's turn may be below us in a simulation.
class TurnScope {
public:
    explicit TurnScope(Loop& loop, const Clock* clock)
        : outer_(current_loop()), lent_clock_(clock != nullptr) {
        set_current_loop(&loop);
        if (lent_clock_) outer_clock_ = set_thread_clock(clock);
    }
    ~TurnScope() {
        set_current_loop(outer_);
        if (lent_clock_) set_thread_clock(outer_clock_);
    }
    TurnScope(const TurnScope&) = delete;
    TurnScope& operator=(const TurnScope&) = delete;

private:
    Loop* outer_;
    bool lent_clock_;
    const Clock* outer_clock_ = nullptr;
};

} // namespace

Loop::Loop(Exec* exec, uint16_t loop_id)
    : exec_(exec), loop_id_(loop_id), fork_epoch_(registry::fork_epoch()), tasks_(*this) {}

int Loop::make(Exec* exec, int exec_index, Loop** out) {
    Backend backend;
    if (int rc = driver_choose(&backend, kLogRefusals); rc != XTC_OK) return rc;
    auto* loop = new (std::nothrow) Loop(exec, static_cast<uint16_t>(exec_index + 1));
    if (loop == nullptr) return XTC_E_NOMEM;
    loop->backend_ = backend;
    xtc_res_init(&loop->res_, nullptr);
    uint64_t gen_base = 0;
    loop->index_ = registry::add(loop, &gen_base);
    if (loop->index_ == 0) {
        loop->shut_ = true;
        delete loop;
        return XTC_E_RESOURCE;
    }
    if (int rc = loop->tasks_.init(gen_base); rc != XTC_OK) {
        delete loop;
        return rc;
    }
    *out = loop;
    return XTC_OK;
}

Loop::~Loop() {
    if (!shut_) shut_down();
    if (index_ != 0) registry::remove(index_, tasks_.gen_end());
}

int64_t Loop::now() const {
    return driver_.table != nullptr ? driver_.table->now(driver_.self) : 0;
}

const char* Loop::backend() const {
    return driver_.table != nullptr ? backend_name(driver_) : backend_name(backend_);
}

int Loop::ensure_driver() {
    if (driver_.table != nullptr) return XTC_OK;
    if (int rc = driver_make(backend_, kLogRefusals, &driver_); rc != XTC_OK) return rc;
    timers_.shift(now()); // before the first run a loop's time stood at 0
    return XTC_OK;
}

int Loop::attach(const xtc_seam_parts_t& parts) {
    if (has_started() || driver_.table != nullptr) return XTC_E_AGAIN;
    if (parts.driver != nullptr) {
        driver_ = {parts.driver, parts.driver_self};
        driver_lent_ = true;
        lent_clock_ = {lent_now, lent_now, lent_sleep, this};
        timers_.shift(now());
    }
    chooser_ = parts.chooser;
    chooser_self_ = parts.chooser_self;
    offload_ = parts.offload;
    offload_self_ = parts.offload_self;
    return XTC_OK;
}

const xtc_seam_offload_t* Loop::offload(void** self) const {
    *self = offload_self_;
    return offload_ != nullptr ? offload_ : pool_offload();
}

void Loop::post(InboxNode& node) {
    inbox_.push(node);
    wake();
}

// The other half of sleep_or_poll(): either the sleeper sees what was pushed, or we see that it sleeps.
void Loop::wake() {
    if (sleep_.take()) driver_.table->wake(driver_.self);
}

void Loop::wake_up() {
    if (sleep_.ask() || driver_lent_) driver_.table->wake(driver_.self);
}

void Loop::request_stop() {
    stop_.store(true, std::memory_order_seq_cst);
    if (current_loop() == this) {
        skipped_ += budget_;
        budget_ = 0; // after the step that asks, nothing more of this turn
    } else {
        wake();
    }
}

int Loop::set_spin(int64_t max_ns) {
    if (max_ns < 0) return XTC_E_INVAL;
    // On one CPU whoever has work for us would wait for our look to end. Asked here and not by the loop's
    // thread, which may be pinned to one of many.
    if (xtc_ncpus() < 2) max_ns = 0;
    spin_max_.store(max_ns, std::memory_order_relaxed);
    return XTC_OK;
}

bool Loop::is_callers() const {
    const Loop* here = current_loop();
    if (here != nullptr) return here == this;
    return exec_ != nullptr ? !exec_->is_running() : !is_running();
}

void Loop::begin_run() {
    started_.store(true, std::memory_order_release);
    running_.store(true, std::memory_order_release);
    eh_ = thread_eh_globals();
    context_adopt_thread(main_);
}

// A standalone loop may be run or freed by another thread next: let nothing be in flight meanwhile.
void Loop::end_run() {
    if (exec_ == nullptr && op_count_ > 0) driver_.table->suspend(driver_.self);
    running_.store(false, std::memory_order_release);
}

int Loop::run() {
    if (is_running() || current_loop() != nullptr || inherited()) return XTC_E_INVAL;
    if (int rc = ensure_driver(); rc != XTC_OK) return rc;
    AltStack alt_stack;
    begin_run();
    while (!stop_requested() && live() > 0) turn(kRunsPerTurn, XTC_UNTIL_NEVER);
    take_stop();
    end_run();
    return XTC_OK;
}

int Loop::step(int64_t timeout_ns) {
    if (is_running() || exec_ != nullptr || current_loop() != nullptr || inherited()) return XTC_E_INVAL;
    if (int rc = ensure_driver(); rc != XTC_OK) return rc;
    begin_run();
    const uint32_t handled =
        turn(kRunsPerTurn, timeout_ns == 0 ? XTC_UNTIL_POLL : deadline_after(*this, timeout_ns));
    take_stop(); // what it stopped is over
    pause_run();
    if (pollfd_used_) watch_for_host();
    return handled > 0 ? XTC_OK : XTC_E_AGAIN;
}

int Loop::pollfd() {
    if (exec_ != nullptr || inherited()) return XTC_E_INVAL;
    if (int rc = ensure_driver(); rc != XTC_OK) return rc;
    pollfd_used_ = true;
    const int fd = watch_for_host();
    return fd >= 0 ? fd : XTC_E_INTERNAL;
}

// The host sleeps for us from now on: posts must reach the descriptor.
int Loop::watch_for_host() {
    const int fd = driver_.table->pollfd(driver_.self);
    sleep_between_turns();
    return fd;
}

void Loop::sleep_between_turns() {
    if (!sleep_.announce_unless([this] { return !inbox_.empty(); })) driver_.table->wake(driver_.self);
}

uint32_t Loop::turn(uint32_t max_runs, int64_t until) {
    TurnScope scope(*this, driver_lent_ ? &lent_clock_ : nullptr);
    uint32_t handled = 0;
    take_completions(sleep_or_poll(until), handled);
    take_inbox(handled);
    if (!timers_.empty()) fire_timers(handled);
    run_ready(max_runs, handled);
    return handled;
}

// Until when the driver may sleep; publishes that we are about to.
int64_t Loop::sleep_or_poll(int64_t until) {
    sleep_.end();
    if (until == XTC_UNTIL_POLL || is_runnable() || stop_requested()) return XTC_UNTIL_POLL;
    until = std::min(until, timers_.next_deadline());
    if (spin_max_.load(std::memory_order_relaxed) > 0 && !driver_lent_ && spin(until)) return XTC_UNTIL_POLL;
    const bool may_sleep = sleep_.announce_unless([this] {
        return !inbox_.empty() || stop_.load(std::memory_order_seq_cst);
    });
    return may_sleep ? until : XTC_UNTIL_POLL;
}

// Looks for work without sleeping, for a time that halves after a useless look and doubles after a hit.
// Never for less than what a sleep and its wake cost: that long a look at most doubles the cost of a sleep,
// and only a look that long ever finds out that work has begun to come fast again.
bool Loop::spin(int64_t until) {
    constexpr int64_t sleep_cost_ns = 20'000;
    const int64_t max = spin_max_.load(std::memory_order_relaxed);
    spin_now_ = spin_now_ == 0 ? max : std::clamp(spin_now_, std::min(max, sleep_cost_ns), max);
    const int64_t end = std::min(until, now() + spin_now_);
    do {
        if (!inbox_.looks_empty() || stop_requested()) {
            spin_now_ = std::min(max, spin_now_ * 2);
            return true;
        }
        if (xtc_op_t* done = driver_.table->wait(driver_.self, XTC_UNTIL_POLL)) {
            spun_ = done;
            spin_now_ = std::min(max, spin_now_ * 2);
            return true;
        }
        __builtin_ia32_pause();
    } while (now() < end);
    spin_now_ /= 2;
    return false;
}

void Loop::take_completions(int64_t until, uint32_t& handled) {
    xtc_op_t* op =
        spun_ != nullptr ? std::exchange(spun_, nullptr) : driver_.table->wait(driver_.self, until);
    sleep_.end();
    sleep_.take_asked();
    while (op != nullptr) {
        xtc_op_t* next = op->next;
        finish_op(*op);
        ++handled;
        op = next;
    }
}

void Loop::take_inbox(uint32_t& handled) {
    if (backlog_ == nullptr && inbox_.looks_empty()) return;
    if (backlog_ == nullptr) backlog_ = inbox_.take_all();
    for (uint32_t n = 0; backlog_ != nullptr && n < kInboxPerTurn; ++n) {
        InboxNode* node = backlog_;
        backlog_ = node->next; // first: running the node may free it or push it again
        note(XTC_NOTE_POST, n, 0);
        node->run(*this, *node, false);
        ++handled;
    }
}

// Timers that are due now; what their functions set waits for the next turn.
void Loop::fire_timers(uint32_t& handled) {
    const int64_t due = now();
    const uint64_t end = timers_.next_seq();
    while (!timers_.empty()) {
        TimerNode* node = timers_.top();
        if (node->deadline > due || node->seq >= end) break;
        timers_.remove(*node);
        note(XTC_NOTE_TIMER, node->seq, static_cast<uint64_t>(node->deadline));
        node->fire(*node);
        ++handled;
    }
}

bool Loop::start_op(xtc_op_t& op) {
    XTC_ASSERT(op.state != XTC_OP_IN_FLIGHT);
    if (!fd_claims::take(op.fd, op.claims, index_)) return false;
    op.state = XTC_OP_IN_FLIGHT;
    op.all_prev = nullptr;
    op.all_next = ops_;
    if (ops_ != nullptr) ops_->all_prev = &op;
    ops_ = &op;
    ++op_count_;
    driver_.table->submit(driver_.self, &op);
    return true;
}

void Loop::cancel_op(xtc_op_t& op) {
    if (op.state == XTC_OP_IN_FLIGHT) driver_.table->cancel(driver_.self, &op);
}

int Loop::try_op(xtc_op_t& op) {
    return driver_.table->try_op(driver_.self, &op);
}

void Loop::finish_op(xtc_op_t& op) {
    XTC_ASSERT(op.state == XTC_OP_IN_FLIGHT);
    (op.all_prev == nullptr ? ops_ : op.all_prev->all_next) = op.all_next;
    if (op.all_next != nullptr) op.all_next->all_prev = op.all_prev;
    --op_count_;
    op.state = XTC_OP_DONE;
    fd_claims::give(op.fd, op.claims); // here, so that dropped fibers leave none behind
    note(XTC_NOTE_OP, op.kind, static_cast<uint64_t>(op.res));
    op.done(&op);
}

// Brings home what others still hold of our fibers' memory, then drops the fibers.
void Loop::shut_down() {
    shut_ = true;
    dropping_ = true;
    if (inherited()) return drop_inherited();
    TurnScope scope(*this, driver_lent_ ? &lent_clock_ : nullptr);
    eh_ = thread_eh_globals();
    for (xtc_op_t* op = ops_; op != nullptr; op = op->all_next) driver_.table->cancel(driver_.self, op);
    while (op_count_ > 0) {
        uint32_t handled = 0;
        take_completions(driver_lent_ ? XTC_UNTIL_POLL : XTC_UNTIL_NEVER, handled);
    }
    // Whoever wakes us from another thread is through with the driver before it goes.
    if (index_ != 0) registry::hide(index_);
    for (InboxNode* n = backlog_ != nullptr ? backlog_ : inbox_.take_all(); n != nullptr;) {
        InboxNode* node = n;
        n = node->next;
        node->run(*this, *node, true);
        if (n == nullptr) n = inbox_.take_all();
    }
    tasks_.for_each([this](Task& t) {
        if (t.now_in() == TaskState::free) return;
        abort_awaiter(t);
        for (DropHook* h = t.drop_hooks; h != nullptr; h = h->next) h->drop(*h);
        if (t.stack) {
            context_destroy(t.ctx);
            stacks_.give(t.stack);
        }
        if (t.now_in() != TaskState::finished) --live_;
        t.state.store(TaskState::free, std::memory_order_relaxed);
        release(t);
    });
    if (driver_.table != nullptr && !driver_lent_) driver_.table->destroy(driver_.self);
    driver_ = {};
}

// In a forked child: memory only, the kernel's side belongs to the parent.
void Loop::drop_inherited() {
    tasks_.for_each([](Task& t) {
        if (t.kind == TaskKind::proc) drop_mail(t);
        delete t.exit_hooks;
    });
    ops_ = nullptr;
    op_count_ = 0;
}

uint64_t Loop::hash() const {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    auto mix = [&h](uint64_t v) {
        h ^= v;
        h *= 0x100000001b3ull;
        h ^= h >> 29;
    };
    uint64_t place = 0; // not the slot: that depends on the other loops of the process
    tasks_.for_each([&](Task& t) {
        ++place;
        if (t.now_in() == TaskState::free) return;
        mix(place);
        mix(static_cast<uint64_t>(t.now_in()) << 32 | (t.epoch));
        mix(t.mail_word.load(std::memory_order_relaxed) & 0xffffffff);
    });
    mix(ready_count_);
    mix(live_);
    mix(timers_.size());
    return h;
}

int Loop::check() const {
    if (!ready_.check() || (classes_ != nullptr && !classes_->check(ready_))) return XTC_E_INTERNAL;
    uint32_t ready = 0;
    tasks_.for_each([&ready](const Task& t) { ready += t.now_in() == TaskState::ready; });
    if (ready != ready_count_) return XTC_E_INTERNAL;
    uint32_t flying = 0;
    for (const xtc_op_t* op = ops_; op != nullptr; op = op->all_next) {
        if (op->state != XTC_OP_IN_FLIGHT || ++flying > op_count_) return XTC_E_INTERNAL;
    }
    if (flying != op_count_ || !timers_.check()) return XTC_E_INTERNAL;
    uint64_t alive = 0;
    tasks_.for_each([&alive](Task& t) {
        const TaskState s = t.now_in();
        if (s == TaskState::ready || s == TaskState::running || s == TaskState::parked) ++alive;
    });
    return alive <= live_ ? XTC_OK : XTC_E_INTERNAL;
}

} // namespace xtc
