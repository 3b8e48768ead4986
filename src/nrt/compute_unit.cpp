// SPDX-License-Identifier: ISC
#include "nrt/compute_unit.hpp"

#include <xtc.h>
#include <xtc_async.h>

#include <bit>
#include <cstdio>
#include <new>

#include "base/assert.hpp"
#include "nrt/exec_callback.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

ComputeUnit::ComputeUnit(xtc_loop_t* loop, uint32_t core, uint32_t capacity, uint64_t last_number)
    : loop_(loop), core_(core), ring_(capacity, last_number) {}

ComputeUnit::~ComputeUnit() {
    xtc_notify_destroy(work_);
}

Ref<ComputeUnit> ComputeUnit::make(xtc_loop_t* loop, uint32_t core, uint32_t capacity,
                                   uint64_t last_number) {
    try {
        auto unit = Ref<ComputeUnit>::adopt(new ComputeUnit(loop, core, capacity, last_number));
        if (xtc_notify_create(&unit->work_) != XTC_OK) return {};
        return unit;
    } catch (const std::bad_alloc&) {
        return {};
    }
}

NRT_STATUS ComputeUnit::start() {
    if (started_.load(std::memory_order_acquire)) return NRT_SUCCESS;
    const std::lock_guard hold(starting_);
    if (started_.load(std::memory_order_relaxed)) return NRT_SUCCESS;
    char name[32];
    std::snprintf(name, sizeof name, "nrt-compute/%u", core_);
    xtc_proc_opts_t options{};
    options.name = name;
    options.mailbox_cap = 1;
    retain(); // the fiber's
    if (const int rc = xtc_proc_spawn(loop_, work, this, &options, nullptr); rc != XTC_OK) {
        release();
        log(LogLevel::error, "The compute unit of core %u could not start: %s", core_, xtc_strerror(rc));
        return status_of(rc) == NRT_RESOURCE ? NRT_RESOURCE : NRT_FAILURE;
    }
    started_.store(true, std::memory_order_release);
    return NRT_SUCCESS;
}

NRT_STATUS ComputeUnit::submit(Execution& execution) {
    if (is_lost()) return NRT_EXEC_UNIT_UNRECOVERABLE;
    if (const NRT_STATUS status = start(); status != NRT_SUCCESS) return status;
    execution.begin_access();
    if (ring_.put(&execution) == 0) {
        execution.end_access();
        return NRT_QUEUE_FULL;
    }
    wake();
    return NRT_SUCCESS;
}

// A signal only for a worker that sleeps, or is about to.
void ComputeUnit::wake() noexcept {
    if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false, std::memory_order_seq_cst))
        xtc_notify_signal(work_);
}

void ComputeUnit::sleep() {
    asleep_.store(true, std::memory_order_seq_cst);
    if (ring_.has_next() || closing_.load(std::memory_order_seq_cst)) {
        asleep_.store(false, std::memory_order_seq_cst);
        return;
    }
    xtc_notify_wait(work_, -1);
}

int ComputeUnit::wait_for_room(int64_t timeout_ns) {
    if (is_worker()) return XTC_E_DEADLK;
    return progress_.wait([this] { return !ring_.is_full() || is_lost(); }, timeout_ns);
}

int ComputeUnit::wait_until_drained() {
    if (is_worker()) return XTC_E_DEADLK;
    const uint64_t last = ring_.accepted();
    return progress_.wait([this, last] { return ring_.completed() >= last; });
}

bool ComputeUnit::is_worker() const noexcept {
    const uint64_t worker = worker_.load(std::memory_order_relaxed);
    return worker != 0 && worker == std::bit_cast<uint64_t>(xtc_self());
}

void ComputeUnit::work(void* arg) {
    auto* const self = static_cast<ComputeUnit*>(arg);
    // Killed by nobody: what is accepted is completed.
    xtc_mask_enter();
    self->worker_.store(std::bit_cast<uint64_t>(xtc_self()), std::memory_order_relaxed);
    self->work_off();
    xtc_mask_leave();
}

void ComputeUnit::work_off() {
    for (;;) {
        Execution* next = nullptr;
        if (ring_.take(&next)) {
            complete(*next, run(*next));
            xtc_yield(); // inline runs would keep the loop to themselves
        } else if (closing_.load(std::memory_order_seq_cst)) {
            break;
        } else {
            sleep();
        }
    }
    ended_.store(true, std::memory_order_seq_cst);
    progress_.changed();
    release();
}

NRT_STATUS ComputeUnit::run(Execution& execution) {
    if (is_lost()) return NRT_EXEC_UNIT_UNRECOVERABLE;
    Outcome outcome;
    if (execution.model().package().is_light()) {
        const Sleeper none{[](void*, int64_t) { XTC_UNREACHABLE(); }, nullptr};
        outcome = execution.run(none);
    } else {
        if (device_ == nullptr) device_ = Device::make(loop_, core_);
        if (device_ == nullptr) return NRT_RESOURCE;
        outcome = device_->run(execution);
    }
    if (outcome.is_fatal) {
        log(LogLevel::error, "The compute unit of core %u is lost: %s. The runtime needs nrt_close and nrt_init",
            core_, nrt_get_status_as_str(static_cast<NRT_STATUS>(outcome.status)));
        lost_.store(true, std::memory_order_seq_cst);
    }
    return static_cast<NRT_STATUS>(outcome.status);
}

// Who sees the number, or has the answer, sees everything else.
void ComputeUnit::complete(Execution& execution, NRT_STATUS status) {
    const bool is_implicit = execution.mode == Execution::Mode::implicit;
    execution.end_access();
    execution.count_outputs();
    if (is_implicit) {
        call_exec_callback(execution.model().id(), core_, number(ring_.taken()).value(), status);
        executions_.give_back(execution);
    }
    ring_.complete();
    if (!is_implicit) execution.answer(status);
    progress_.changed();
}

void ComputeUnit::close() {
    closing_.store(true, std::memory_order_seq_cst);
    if (!started_.load(std::memory_order_acquire)) return;
    wake();
    while (progress_.wait([this] { return ended_.load(std::memory_order_seq_cst); }) != XTC_OK)
        xtc_sleep_ns(1'000'000); // no memory for the wait: look again
    if (device_ != nullptr) device_->stop();
}

} // namespace xtc::nrt
