// SPDX-License-Identifier: ISC
#include "nrt/unit.hpp"

#include <xtc_proc.h>

#include <cstdio>
#include <new>
#include <thread>

#include "nrt/drop_scope.hpp"
#include "nrt/masked.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

namespace {

constexpr const char* name_of(nrta_xu_t type) noexcept {
    return type == NRTA_XU_COMPUTE ? "compute" : type == NRTA_XU_COLLECTIVES ? "collectives" : "tensor-op";
}

} // namespace

Ref<Unit> Unit::make(UnitId id, xtc_exec_t* exec, uint32_t loop, uint32_t capacity, uint64_t done_before) {
    auto unit = Ref<Unit>::adopt(new (std::nothrow) Unit(id, exec, loop, capacity, done_before));
    if (!unit || !unit->bell_.make()) return {};
    unit->cells_.reset(new (std::nothrow) Cell[capacity]);
    return unit->cells_ != nullptr ? std::move(unit) : Ref<Unit>();
}

// A process that another thread spawns gets its stack on its loop, or ends there before it begins. So what
// goes there is a task, which needs none; the worker is spawned where it is known at once whether it lives.
NRT_STATUS Unit::start() {
    const std::lock_guard hold(starting_);
    if (started_.load(std::memory_order_relaxed)) return NRT_SUCCESS;
    retain(); // the worker's
    if (const int rc = xtc_exec_spawn_on(exec_, static_cast<int>(loop_), begin, this, nullptr);
        rc != XTC_OK) {
        release();
        return status_of(rc);
    }
    started_.store(true, std::memory_order_release);
    return NRT_SUCCESS;
}

int Unit::begin(xtc_task_t* self, void* arg) {
    auto* const unit = static_cast<Unit*>(arg);
    for (;;) {
        const uint64_t last = unit->issued(); // what comes later was not part of this try
        const int rc = unit->spawn_worker();
        if (rc == XTC_OK) return XTC_TASK_DONE;
        if (!unit->end_queued(last, status_of(rc))) {
            unit->leave();
            return XTC_TASK_DONE;
        }
        xtc_task_waker(self, &unit->beginner_);
        unit->sleeper_.store(Sleeper::beginner, std::memory_order_seq_cst);
        if (!unit->has_next() && !unit->is_over()) return XTC_TASK_PENDING; // the next request tries again
        unit->sleeper_.store(Sleeper::none, std::memory_order_seq_cst);
    }
}

int Unit::spawn_worker() noexcept {
    char name[32]; // as people see it among the processes
    std::snprintf(name, sizeof name, "nrt-%s/%u.%u", name_of(id_.type), id_.core, id_.queue);
    xtc_proc_opts_t options{};
    options.name = name;
    options.mailbox_cap = 1;
    xtc_loop_t* const loop = xtc_exec_loop(exec_, static_cast<int>(loop_));
    return xtc_proc_spawn(loop, enter, this, &options, nullptr);
}

// There is no worker. False: nor will one be needed.
bool Unit::end_queued(uint64_t last, NRT_STATUS fate) {
    while (!is_taken_over() && completed() < last && has_next()) finish(completed() + 1, fate);
    return !is_taken_over() && !is_over();
}

// A number whose cell is free: the request that was in it is completed.
NRT_STATUS Unit::reserve(uint64_t* number) {
    uint64_t done = completed();
    uint64_t last = issued(); // read later, so never below it
    for (;;) {
        if (last - done >= capacity_) {
            const uint64_t now = completed();
            if (now == done) return NRT_QUEUE_FULL;
            done = now;
            last = issued();
            continue;
        }
        if (issued_.compare_exchange_weak(last, last + 1, std::memory_order_seq_cst)) break;
    }
    *number = last + 1;
    return NRT_SUCCESS;
}

NRT_STATUS Unit::push(const Job& job, nrta_seq_t* seq) {
    if (is_poisoned()) return NRT_EXEC_UNIT_UNRECOVERABLE;
    if (stopping_.load(std::memory_order_seq_cst)) return NRT_CLOSED;
    if (!started_.load(std::memory_order_acquire))
        if (const NRT_STATUS status = start(); status != NRT_SUCCESS) return status;
    uint64_t number = 0;
    if (const NRT_STATUS status = reserve(&number); status != NRT_SUCCESS) return status;
    // The caller's number first: once the job is visible it may run, and end, before this returns.
    *seq = sequence(id_, number);
    Cell& into = cell(number);
    into.job = job;
    into.number.store(number, std::memory_order_seq_cst);
    wake();
    return NRT_SUCCESS;
}

void Unit::wake() noexcept {
    if (sleeper_.load(std::memory_order_seq_cst) == Sleeper::none) return;
    switch (sleeper_.exchange(Sleeper::none, std::memory_order_seq_cst)) {
    case Sleeper::none:
        return;
    case Sleeper::worker:
        return bell_.signal();
    case Sleeper::beginner:
        xtc_waker_wake(&beginner_);
    }
}

void Unit::enter(void* arg) {
    auto* const unit = static_cast<Unit*>(arg);
    Masked masked; // what is accepted is completed, whoever kills the worker
    {
        const DropScope alive([](void* dropped) { static_cast<Unit*>(dropped)->leave(); }, unit);
        struct Post {
            Unit& unit;
            bool is_over = false;
            ~Post() {
                if (!is_over) unit.relieve();
            }
        } post{*unit};
        unit->work();
        post.is_over = true;
    }
    unit->leave();
    masked.leave();
}

// The worker goes in the middle of its work: a callback has ended the process that called it.
void Unit::relieve() noexcept {
    const int rc = xtc_exec_spawn_on(exec_, static_cast<int>(loop_), begin, this, nullptr);
    if (rc == XTC_OK) return;
    end_queued(issued(), status_of(rc));
    started_.store(false); // the next request starts one
    release();
}

void Unit::leave() noexcept {
    ended_.store(true, std::memory_order_seq_cst);
    progress_.changed();
    release();
}

void Unit::work() {
    while (!is_taken_over()) {
        if (has_next()) {
            finish(completed() + 1, NRT_SUCCESS);
            continue;
        }
        if (is_over()) return;
        sleeper_.store(Sleeper::worker, std::memory_order_seq_cst);
        if (!has_next() && !is_over()) bell_.wait();
        sleeper_.store(Sleeper::none, std::memory_order_seq_cst);
    }
}

void Unit::finish(uint64_t number, NRT_STATUS fate) {
    Job job = cell(number).job;
    const bool in_place = is_taken_over();
    if (is_poisoned()) fate = NRT_EXEC_UNIT_UNRECOVERABLE;
    // Also of a job whose run does not return, because a callback ends the process that called it.
    struct End {
        Unit& unit;
        const Job& job;
        const uint64_t number;
        const bool in_place;
        NRT_STATUS status = NRT_FAILURE;
        ~End() {
            if (!in_place && unit.is_taken_over()) return; // it was ended in the worker's place
            // In this order: who sees the number must see the status.
            if (job.result != nullptr) *job.result = status;
            unit.completed_.store(number, std::memory_order_seq_cst);
            unit.progress_.changed();
        }
    } end{*this, job, number, in_place};
    end.status = job.run(*this, job, fate);
}

int Unit::stop(int64_t timeout_ns) {
    {
        const std::lock_guard hold(starting_);
        stopping_.store(true, std::memory_order_seq_cst);
        if (!started_.load(std::memory_order_relaxed)) return XTC_OK;
    }
    wake();
    return progress_.wait([this] { return ended_.load(std::memory_order_seq_cst); }, timeout_ns);
}

void Unit::take_over() {
    stopping_.store(true, std::memory_order_seq_cst);
    taken_over_.store(true, std::memory_order_seq_cst);
    while (completed() != issued()) {
        const uint64_t next = completed() + 1;
        // Another thread has its number and is about to fill the cell.
        while (cell(next).number.load(std::memory_order_seq_cst) != next) std::this_thread::yield();
        finish(next, NRT_CLOSED);
    }
    wake(); // who sleeps finds nothing to do, if its loop ever goes on
}

} // namespace xtc::nrt
