// SPDX-License-Identifier: ISC
#include "nrt/unit.hpp"

#include <new>

#include "nrt/status.hpp"

namespace xtc::nrt {

Ref<Unit> Unit::make(UnitId id, xtc_exec_t* exec, uint32_t loop, uint32_t capacity, uint64_t done_before) {
    auto unit = Ref<Unit>::adopt(new (std::nothrow) Unit(id, exec, loop, capacity, done_before));
    if (!unit || !unit->bell_.make()) return {};
    unit->cells_.reset(new (std::nothrow) Cell[capacity]);
    return unit->cells_ != nullptr ? std::move(unit) : Ref<Unit>();
}

NRT_STATUS Unit::start() {
    const std::lock_guard hold(starting_);
    if (started_.load(std::memory_order_relaxed)) return NRT_SUCCESS;
    retain(); // the worker's
    if (const int rc = xtc_exec_async_on(exec_, static_cast<int>(loop_), enter, this, nullptr);
        rc != XTC_OK) {
        release();
        return status_of(rc);
    }
    started_.store(true, std::memory_order_release);
    return NRT_SUCCESS;
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
    if (sleeping_.load(std::memory_order_seq_cst) && sleeping_.exchange(false, std::memory_order_seq_cst))
        bell_.signal();
}

intptr_t Unit::enter(void* arg) {
    const auto unit = Ref<Unit>::adopt(static_cast<Unit*>(arg));
    unit->work();
    unit->ended_.store(true, std::memory_order_seq_cst);
    unit->progress_.changed();
    return 0;
}

void Unit::work() {
    for (;;) {
        const uint64_t next = completed() + 1;
        if (cell(next).number.load(std::memory_order_seq_cst) == next) {
            finish(next);
            continue;
        }
        if (is_over()) return;
        sleeping_.store(true, std::memory_order_seq_cst);
        if (cell(next).number.load(std::memory_order_seq_cst) != next && !is_over()) bell_.wait();
        sleeping_.store(false, std::memory_order_seq_cst);
    }
}

void Unit::finish(uint64_t number) {
    Job job = cell(number).job;
    const NRT_STATUS fate = is_poisoned() ? NRT_EXEC_UNIT_UNRECOVERABLE : NRT_SUCCESS;
    const NRT_STATUS status = job.run(*this, job, fate);
    // In this order: who sees the number must see the status.
    if (job.result != nullptr) *job.result = status;
    completed_.store(number, std::memory_order_seq_cst);
    progress_.changed();
}

int Unit::stop() {
    {
        const std::lock_guard hold(starting_);
        stopping_.store(true, std::memory_order_seq_cst);
        if (!started_.load(std::memory_order_relaxed)) return XTC_OK;
    }
    wake();
    return progress_.wait([this] { return ended_.load(std::memory_order_seq_cst); });
}

} // namespace xtc::nrt
