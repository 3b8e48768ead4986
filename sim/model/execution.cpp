// SPDX-License-Identifier: ISC
#include "execution.hpp"

#include <climits>
#include <cstring>

namespace xtc::model {

namespace {
Execution* g_current = nullptr;
} // namespace

Execution* Execution::current() {
    return g_current;
}

void Execution::run_thread(void* arg) {
    auto& self = *static_cast<Execution*>(arg);
    const auto thread = static_cast<size_t>(self.running_);
    self.user_ = true;
    self.bodies_[thread]();
    self.user_ = false;
    self.threads_[thread].status = Status::ended;
}

void Execution::begin(const Plan& plan, const std::function<void(Scene&)>& model) {
    plan_ = &plan;
    model_ = &model;
    g_current = this;
    begin_life();
    graph_.clear();
    threads_ = {};
    failure_.clear();
    outcome_.clear();
    wake_calls_ = 0;
    woken_ = overtaken_ = 0;
    bodies_.assign(1, {});
    thread_names_.assign(1, "setup");
    run_zero(
        [](void* arg) {
            auto& self = *static_cast<Execution*>(arg);
            Scene scene;
            self.user_ = true;
            (*self.model_)(scene);
            self.user_ = false;
        },
        this);
    for (int t = 1; t < thread_count() && !has_failed(); ++t) {
        graph_.start(t);
        Thread& thread = at(t);
        thread.status = Status::ready;
        thread.spurious_left = plan.spurious_failures;
        running_ = t;
        strands_[static_cast<size_t>(t)].begin(run_thread, this);
        run(t);
    }
}

void Execution::run_zero(void (*body)(void*), void* arg) {
    running_ = 0;
    strands_[0].begin(body, arg);
    strands_[0].resume();
    user_ = false;
}

void Execution::run(int thread) {
    running_ = thread;
    strands_[static_cast<size_t>(thread)].resume();
    user_ = false;
}

void Execution::finish() {
    graph_.join_all(0);
    run_zero(
        [](void* arg) {
            auto& self = *static_cast<Execution*>(arg);
            self.user_ = true;
            for (auto& look : self.looks_) look();
            while (!self.owned_.empty()) {
                const auto [object, destroy] = self.owned_.back();
                self.owned_.pop_back();
                destroy(object);
            }
            self.user_ = false;
        },
        this);
    bodies_.clear();
    looks_.clear();
    if (!has_failed() && memory_.live_blocks() != 0) fail("memory was not given back");
}

void Execution::abandon() {
    bodies_.clear();
    looks_.clear();
    owned_.clear();
    names_.clear();
    sleepers_.clear();
    futexes_.clear();
    memory_.clear();
    g_current = nullptr;
}

void Execution::add_thread(const char* name, std::function<void()> body) {
    bodies_.push_back(std::move(body));
    thread_names_.emplace_back(name);
}

void Execution::let_sleep(const char* name) {
    for (size_t t = 1; t < thread_names_.size(); ++t)
        if (thread_names_[t] == name) threads_[t].may_sleep = true;
}

void Execution::fail(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
}

void Execution::fail_here(std::string why) {
    user_ = false;
    fail(std::move(why));
    for (;;) strands_[static_cast<size_t>(running_)].pause();
}

// False: the step is not made at all.
bool Execution::plant_fault(Op& op) {
    for (const Fault& f : plan_->faults) {
        const bool same_kind = f.kind == op.kind || (is_cas(f.kind) && is_cas(op.kind));
        if (f.what == Fault::What::none || !same_kind) continue;
        if (std::strstr(op.site.function, f.function) == nullptr) continue;
        ++fault_hits_;
        switch (f.what) {
        case Fault::What::weaken:
            op.order = op.failure = f.order;
            if (is_cas(op.kind) && (f.order == Order::release || f.order == Order::acq_rel))
                op.failure = Order::relaxed;
            break;
        case Fault::What::blind:
            op.compared = 0;
            break;
        case Fault::What::half_blind:
            op.compared = UINT32_MAX;
            break;
        default:
            return false;
        }
    }
    return true;
}

uint64_t Execution::perform(Op op, bool* wrote) {
    user_ = false;
    const int t = running_;
    if (op.location >= 0) {
        if (!graph_.location(op.location).alive && op.kind != OpKind::futex_wake)
            fail_here("an atomic is used after it was destroyed");
        if (!graph_.knows_location(op.location, t)) fail_here("an atomic is used by one who cannot know it");
    }
    if (!plant_fault(op)) {
        user_ = true;
        *wrote = true;
        return 0;
    }
    uint64_t value = 0;
    if (t == 0) { // alone: there is one way only
        std::vector<Choice> all;
        if (is_futex(op.kind)) {
            if (op.kind == OpKind::futex_wait) fail_here("the setup would sleep");
        } else {
            graph_.choices(0, op, 0, false, all);
            value = graph_.perform(0, op, all.front(), UINT_MAX, wrote);
        }
    } else {
        Thread& me = at(t);
        me.op = op;
        strands_[static_cast<size_t>(t)].pause();
        value = me.value;
        *wrote = me.wrote;
    }
    user_ = true;
    return value;
}

int Execution::futex_of(int location) const {
    const auto l = static_cast<size_t>(location);
    return l < futexes_.size() ? futexes_[l] : -1;
}

// The kernel's bucket: whoever comes takes its lock.
void Execution::touch_futex(int thread, int location, unsigned step) {
    const auto l = static_cast<size_t>(location);
    if (l >= futexes_.size()) futexes_.resize(l + 1, -1);
    if (futexes_[l] < 0) futexes_[l] = graph_.add_futex(location);
    Op lock;
    lock.kind = OpKind::add;
    lock.order = Order::acq_rel;
    lock.operand = 1;
    lock.location = futexes_[l];
    lock.site = at(thread).op.site;
    const Location& f = graph_.location(lock.location);
    bool wrote = false;
    graph_.perform(thread, lock, {f.order.back(), static_cast<int>(f.order.size())}, step, &wrote);
}

// As Linux does it: a waiter counts itself in, passes a full barrier, then looks at the word; a waker passes
// a full barrier, then looks for waiters.
void Execution::prelude(int thread, unsigned step) {
    const Op& op = at(thread).op;
    Op fence;
    fence.kind = OpKind::fence;
    fence.site = op.site;
    bool wrote = false;
    switch (op.kind) {
    case OpKind::futex_wait:
        touch_futex(thread, op.location, step);
        graph_.perform(thread, fence, {}, step, &wrote);
        break;
    case OpKind::futex_wake:
        graph_.perform(thread, fence, {}, step, &wrote);
        touch_futex(thread, op.location, step);
        break;
    case OpKind::futex_timeout:
        touch_futex(thread, op.location, step);
        break;
    default:
        break;
    }
}

namespace {

Op look_at_word(const Op& wait) {
    Op look = wait;
    look.kind = OpKind::load;
    look.order = Order::relaxed;
    return look;
}

} // namespace

void Execution::choices(int thread, int limit, std::vector<Choice>& out) const {
    const Thread& t = at(thread);
    switch (t.op.kind) {
    case OpKind::futex_wait:
        return graph_.choices(thread, look_at_word(t.op), 0, false, out);
    case OpKind::futex_wake:
    case OpKind::futex_timeout:
        out.assign(1, {});
        return;
    default:
        return graph_.choices(thread, t.op, limit, t.spurious_left != 0, out);
    }
}

void Execution::wake_sleepers(int thread, const Op& op) {
    uint64_t woken = 0;
    ++wake_calls_;
    for (size_t i = 0; i < sleepers_.size() && woken < op.operand;) {
        if (sleepers_[i].location != op.location) {
            ++i;
            continue;
        }
        const int t = sleepers_[i].thread;
        sleepers_.erase(sleepers_.begin() + static_cast<std::ptrdiff_t>(i));
        woken_ |= 1u << t;
        if (at(t).times_out) overtaken_ |= 1u << t;
        at(t).status = Status::ready;
        at(t).value = futex_woken;
        graph_.wake(thread, t);
        ++woken;
        run(t);
        if (has_failed()) return;
    }
    at(thread).value = woken;
}

void Execution::step(int thread, const Choice& choice, unsigned step) {
    Thread& t = at(thread);
    const Op op = t.op;
    woken_ = overtaken_ = 0;
    switch (op.kind) {
    case OpKind::futex_wait: {
        const uint64_t seen = graph_.perform(thread, look_at_word(op), choice, step, &t.wrote);
        if (static_cast<uint32_t>(seen) != static_cast<uint32_t>(op.expected)) {
            t.value = futex_changed;
            break;
        }
        sleepers_.push_back({op.location, thread});
        t.times_out = op.operand != 0;
        t.status = t.times_out ? Status::ready : Status::asleep;
        t.op.kind = OpKind::futex_timeout;
        return;
    }
    case OpKind::futex_wake:
        wake_sleepers(thread, op);
        if (has_failed()) return;
        break;
    case OpKind::futex_timeout:
        std::erase_if(sleepers_, [thread](const Sleeper& s) { return s.thread == thread; });
        t.value = futex_timed_out;
        ++t.timeouts;
        break;
    default:
        t.value = graph_.perform(thread, op, choice, step, &t.wrote);
        if (op.kind == OpKind::weak_cas && !t.wrote && t.value == op.expected) --t.spurious_left;
        break;
    }
    run(thread);
}

} // namespace xtc::model
