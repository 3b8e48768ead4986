// SPDX-License-Identifier: ISC
#include "batch/model/duel.hpp"

#include "batch/group.hpp"
#include "loop/local.hpp"
#include "loop/loop.hpp"

#include <xtc_proc.h>
#include <xtc_res.h>

#include <cstdlib>

namespace model {

namespace {

constexpr int kManyRuns = 200; // of the driver, in one turn with an end
constexpr int kFewRuns = 4;    // to see that there is nothing to do: B7
constexpr int kManyTurns = 100;

Caller caller_of(int malformed, bool started) {
    if (malformed == 2) return Caller::foreign;
    if (malformed == 3 || !started) return Caller::nobody;
    return Caller::owner;
}

} // namespace

Duel::Duel(const Script& script, Narrator narrator)
    : limits_(script.limits()), narrator_(std::move(narrator)), model_(limits_) {
    narrate(in_c(script));
    if (xtc_loop_init(&loop_) != XTC_OK || world_.attach(loop_) != XTC_OK) std::abort();
    make_group();
}

// After a difference nothing can be trusted any more, and what is left stays where it is.
Duel::~Duel() {
    if (is_over()) return;
    for (xtc_promise_t* promise : late_) xtc_promise_drop(promise);
    if (foreign_ != nullptr) xtc_loop_fini(foreign_);
    xtc_loop_fini(loop_);
}

void Duel::make_group() {
    int rc;
    if (limits_.async) {
        xtc_batch_async_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = limits_.capacity;
        o.max_active = limits_.max_active;
        o.resource_capacity = limits_.units;
        o.exec_timeout_ns = limits_.timeout_ns;
        o.submit = submit;
        o.collect = collect;
        o.complete = complete;
        o.cancel_hint = limits_.has_hint ? hint : nullptr;
        o.user = this;
        o.mt_queue_cap = limits_.mt;
        rc = xtc_batch_create_async(loop_, &o, &group_);
    } else {
        xtc_batch_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = limits_.capacity;
        o.max_active = limits_.max_active;
        o.resource_capacity = limits_.units;
        o.step = step;
        o.complete = complete;
        o.user = this;
        rc = xtc_batch_create(loop_, &o, &group_);
    }
    if (rc != XTC_OK) return differ("create answered " + code_name(rc));
    if (limits_.last_handle != 0) group_->handles.start_after(limits_.last_handle);
}

void Duel::differ(const std::string& what) {
    if (is_over()) return;
    difference_ = what;
    narrate("    /* DIFFERS: " + what + " */");
}

void Duel::same(const std::string& what, int theirs, int ours) {
    note(static_cast<uint64_t>(theirs));
    if (narrator_) narrate("    /* " + what + " = " + code_name(theirs) + " */");
    if (theirs != ours) differ(what + " answered " + code_name(theirs) + ", not " + code_name(ours));
}

template <typename Call> int Duel::as(Caller who, Call call) {
    if (who == Caller::foreign && foreign_ == nullptr && xtc_loop_init(&foreign_) != XTC_OK) std::abort();
    xtc::Loop* const before = xtc::current_loop();
    xtc_loop_t* const here = who == Caller::owner ? loop_ : who == Caller::foreign ? foreign_ : nullptr;
    xtc::set_current_loop(reinterpret_cast<xtc::Loop*>(here));
    const int rc = call();
    xtc::set_current_loop(before);
    return rc;
}

Handle Duel::handle_of(int number) const {
    if (number <= 0) return 0;
    const uint64_t room = UINT64_MAX - limits_.last_handle;
    return static_cast<uint64_t>(number) > room ? UINT64_MAX
                                                : limits_.last_handle + static_cast<uint64_t>(number);
}

// --- steps

void Duel::apply(const Step& s) {
    if (is_over()) return;
    narrate(in_c(s));
    switch (s.act) {
    case Act::turn:
        turn(s);
        break;
    case Act::advance:
        world_.now += s.a[0];
        model_.pass_time(s.a[0]);
        break;
    case Act::resolve:
        resolve(static_cast<Resolve>(s.a[0]));
        break;
    case Act::kill:
        kill();
        break;
    default:
        make_call(s.act, s.a[0], s.a[1]);
        break;
    }
    if (!is_over()) compare_totals(Caller::nobody);
}

// Also from inside a callback.
void Duel::make_call(Act act, int argument, int malformed) {
    const Caller who = xtc::current_loop() != nullptr && malformed == 0
                           ? Caller::owner
                           : caller_of(malformed, model_.has_started());
    const Handle h = handle_of(argument);
    const std::string call = narrator_ ? in_c(Step{act, {argument, malformed}}) : act_name(act);
    switch (act) {
    case Act::submit:
        return submit_call(static_cast<uint64_t>(argument), malformed);
    case Act::submit_mt:
        return submit_mt_call(static_cast<uint64_t>(argument), malformed);
    case Act::cancel:
        return same(call, as(who, [&] { return xtc_batch_cancel(group_, h); }), model_.cancel(who, h));
    case Act::resume:
        return same(call, as(who, [&] { return xtc_batch_resume(group_, h); }), model_.resume(who, h));
    case Act::cancel_mt:
        return same(call, xtc_batch_cancel_mt(group_, h), model_.cancel_mt(h));
    case Act::resume_mt:
        return same(call, xtc_batch_resume_mt(group_, h), model_.resume_mt(h));
    case Act::close:
        return close_call(argument + 1, malformed);
    case Act::destroy: {
        const Caller where = argument == 2 ? Caller::foreign : Caller::owner;
        const int ours = model_.destroy(where);
        if (ours == XTC_OK) return; // the end of the duel does it
        return same(call, as(where, [&] { return xtc_batch_destroy(group_); }), ours);
    }
    case Act::stats:
        return stats_call(argument);
    case Act::stall:
        return stall_call(static_cast<uint64_t>(argument));
    case Act::unstall:
        return unstall_call();
    case Act::nudge:
        return nudge(argument);
    default:
        return;
    }
}

void Duel::submit_call(uint64_t charge, int malformed) {
    const bool inside = xtc::current_loop() != nullptr;
    const Caller who = inside ? Caller::owner : caller_of(malformed, model_.has_started());
    Handle theirs = 0, ours = 0;
    Handle* const out = malformed == 1 ? nullptr : &theirs;
    void* const request = reinterpret_cast<void*>(next_request_);
    const int rc = as(who, [&] { return xtc_batch_submit(group_, request, charge, out); });
    same("submit", rc, model_.submit(who, charge, out != nullptr, &ours));
    if (theirs != ours) differ("submit gave handle " + std::to_string(theirs));
    if (rc == XTC_OK) requests_[theirs] = next_request_++;
}

void Duel::submit_mt_call(uint64_t charge, int malformed) {
    Handle theirs = 0, ours = 0;
    Handle* const out = malformed == 1 ? nullptr : &theirs;
    void* const request = reinterpret_cast<void*>(next_request_);
    const int rc = xtc_batch_submit_mt(group_, request, charge, out);
    same("submit_mt", rc, model_.submit_mt(charge, out != nullptr, &ours));
    if (theirs != ours) differ("submit_mt gave handle " + std::to_string(theirs));
    if (rc == XTC_OK) requests_[theirs] = next_request_++;
}

void Duel::close_call(int mode, int malformed) {
    const bool inside = xtc::current_loop() != nullptr;
    const Caller who = inside ? Caller::owner : caller_of(malformed, model_.has_started());
    const int rc =
        as(who, [&] { return xtc_batch_close(group_, static_cast<enum xtc_batch_close_mode>(mode)); });
    same("close", rc, model_.close(who, mode));
}

void Duel::stats_call(int malformed) {
    xtc_batch_stats_t s = {};
    xtc_batch_async_stats_t a = {};
    s.size = malformed == 4 ? sizeof(s) - 1 : sizeof(s);
    a.size = malformed == 4 ? sizeof(a) + 1 : sizeof(a);
    s.version = a.version = XTC_BATCH_VERSION + (malformed == 3 ? 1 : 0);
    const Caller who = malformed == 2 ? Caller::foreign : Caller::owner;
    int ours = model_.may_read_stats(who);
    if (ours == XTC_OK && (malformed == 1 || malformed == 4)) ours = XTC_E_INVAL;
    if (ours == XTC_OK && malformed == 3) ours = XTC_E_VERSION;
    same("get_stats", as(who, [&] { return xtc_batch_get_stats(group_, malformed == 1 ? nullptr : &s); }),
         ours);
    same("get_async_stats",
         as(who, [&] { return xtc_batch_get_async_stats(group_, malformed == 1 ? nullptr : &a); }), ours);
}

void Duel::compare_totals(Caller who) {
    xtc_batch_stats_t s = {};
    xtc_batch_async_stats_t a = {};
    s.size = sizeof(s);
    a.size = sizeof(a);
    s.version = a.version = XTC_BATCH_VERSION;
    const int rc = as(who, [&] {
        const int first = xtc_batch_get_stats(group_, &s);
        return first != XTC_OK ? first : xtc_batch_get_async_stats(group_, &a);
    });
    if (rc != XTC_OK) return differ("statistics answered " + code_name(rc));
    const Totals ours = model_.totals();
    const Totals theirs = {s.queued,           s.ready,          s.blocked,       s.reserved_units,
                           s.iterations,       s.completed,      s.cancelled,     s.failed,
                           s.rejections,       s.max_vector,     s.total_members, a.offloads,
                           a.offload_timeouts, a.offload_errors, a.mt_queued,     a.mt_rejections};
    if (theirs == ours) return;
    const auto judge = [this](const char* name, uint64_t is, uint64_t should) {
        if (is != should)
            differ(std::string(name) + " is " + std::to_string(is) + ", not " + std::to_string(should));
    };
    judge("queued", theirs.queued, ours.queued);
    judge("ready", theirs.ready, ours.ready);
    judge("blocked", theirs.blocked, ours.blocked);
    judge("reserved_units", theirs.reserved_units, ours.reserved_units);
    judge("iterations", theirs.iterations, ours.iterations);
    judge("completed", theirs.completed, ours.completed);
    judge("cancelled", theirs.cancelled, ours.cancelled);
    judge("failed", theirs.failed, ours.failed);
    judge("rejections", theirs.rejections, ours.rejections);
    judge("max_vector", theirs.max_vector, ours.max_vector);
    judge("total_members", theirs.total_members, ours.total_members);
    judge("offloads", theirs.offloads, ours.offloads);
    judge("offload_timeouts", theirs.offload_timeouts, ours.offload_timeouts);
    judge("offload_errors", theirs.offload_errors, ours.offload_errors);
    judge("mt_queued", theirs.mt_queued, ours.mt_queued);
    judge("mt_rejections", theirs.mt_rejections, ours.mt_rejections);
}

// What xtc_batch_submit_mt does, up to the entry on the ring.
void Duel::stall_call(uint64_t charge) {
    if (limits_.mt == 0 || charge < 1 || charge > limits_.units) return;
    if (stalled_.record != nullptr || xtc::current_loop() != nullptr) return;
    Handle ours = 0;
    if (model_.is_closed()) return;
    xtc::Handin& handin = *group_->handin;
    xtc::SubmitRecord* record = handin.submits.claim();
    if (record == nullptr) {
        group_->mt_rejections.fetch_add(1);
        return same("stall", XTC_E_AGAIN, model_.stall(charge, &ours));
    }
    const Handle handle = group_->handles.take();
    if (handle == 0) {
        handin.submits.give(*record);
        return same("stall", XTC_E_RANGE, model_.stall(charge, &ours));
    }
    record->handle = handle;
    record->request = reinterpret_cast<void*>(next_request_);
    record->charge = charge;
    stalled_.place = handin.ring.reserve_for_submit();
    stalled_.record = record;
    same("stall", XTC_OK, model_.stall(charge, &ours));
    if (handle != ours) differ("stall gave handle " + std::to_string(handle));
    requests_[handle] = next_request_++;
}

void Duel::unstall_call() {
    if (stalled_.record == nullptr || xtc::current_loop() != nullptr) return;
    group_->handin->ring.publish(stalled_.place, *static_cast<xtc::SubmitRecord*>(stalled_.record));
    group_->boundary.signal();
    stalled_.record = nullptr;
    model_.unstall();
}

void Duel::resolve(Resolve how) {
    if (how == Resolve::late) { // a promise that nobody waits for any more
        if (late_.empty()) return;
        same("late set", xtc_promise_set(late_.back(), 1, XTC_OK), XTC_OK);
        late_.pop_back();
        return;
    }
    Operation& op = operation_;
    if (op.kind == 0 || op.is_resolved) return;
    int status = XTC_OK;
    if (op.kind == XTC_BATCH_EXEC_BLOCKING) {
        if (world_.closures() == 0) return;
        world_.run_closure();
    } else if (op.kind == XTC_BATCH_EXEC_FENCE) {
        static constexpr short bits[] = {POLLIN, POLLHUP, POLLIN | POLLERR, POLLERR};
        const short shown = bits[static_cast<size_t>(how) % 4];
        status = shown == POLLIN ? XTC_OK : XTC_E_INVAL; // B20
        world_.signal_fd(op.fd, shown);
    } else if (how == Resolve::drop) {
        status = XTC_E_ABORTED;
        xtc_promise_drop(op.promise);
        op.promise = nullptr;
    } else {
        static constexpr int given[] = {XTC_OK, XTC_E_IO, 7};
        const int set = given[static_cast<size_t>(how) % 3];
        status = set > 0 ? static_cast<int>(XTC_E_INTERNAL) : set; // B15
        same("set", xtc_promise_set(op.promise, 0, set), XTC_OK);
        op.promise = nullptr;
    }
    op.is_resolved = true;
    model_.token_resolves(status);
}

// A driver that sleeps has first seen all there is; which of two reasons to wake came first is open else.
void Duel::kill() {
    if (model_.is_gone()) return;
    const bool asleep = model_.has_started() && model_.is_parked() && !suspended_;
    if (asleep) run_turn();
    if (is_over() || model_.is_gone()) return;
    same("kill", xtc_exit_pid(group_->driver, 42), XTC_OK);
    model_.kill();
    if (asleep) run_turn();
}

void Duel::nudge(int what) {
    if (model_.is_gone()) return;
    if (what == 0)
        static_cast<void>(!xtc_send(group_->driver, "mail", 5)); // a full mailbox is none of our business
    else
        group_->boundary.signal();
}

void Duel::turn(const Step& s) {
    turn_ = s;
    run_turn();
}

// One turn: until the driver has done an iteration, or sleeps, or a callback yields.
void Duel::run_turn() {
    model_.turn_begins();
    int idle_runs = 0;
    for (int runs = 0;; ++runs) {
        if (model_.is_resting()) ++idle_runs;
        if (runs == kManyRuns || idle_runs > kFewRuns)
            return differ("the driver runs on and on with nothing to do");
        suspended_ = false;
        xtc_seam_loop_turn(loop_, 1);
        if (is_over() || suspended_) return;
        if (model_.is_resting() && !model_.is_parked() && !model_.is_gone()) break;
        if (xtc_seam_loop_runnable(loop_) == 0 && !world_.has_news()) break;
    }
    if (!model_.is_resting()) differ("nothing happens; expected " + model_.expects());
}

void Duel::finish() {
    if (is_over()) return;
    narrate("/* the end: */");
    turn_ = {};
    unstall_call();
    for (int turns = 0; suspended_ && turns < kManyTurns; ++turns) run_turn();
    if (!is_over()) make_call(Act::close, 1, 0);
    for (int turns = 0; !is_over() && !model_.is_gone(); ++turns) {
        if (turns == kManyTurns) return differ("the driver does not come to an end");
        if (world_.closures() > 0) resolve(Resolve::ok);
        run_turn();
        if (!is_over()) compare_totals(Caller::nobody);
    }
    if (is_over()) return;
    if (!requests_.empty()) differ(std::to_string(requests_.size()) + " requests were never told of");
    const int rc = as(Caller::owner, [&] { return xtc_batch_destroy(group_); });
    same("destroy", rc, XTC_OK);
    if (xtc_res_used(xtc_loop_res(loop_), XTC_RES_MEM_BYTES) != 0) differ("memory is still charged");
}

} // namespace model
