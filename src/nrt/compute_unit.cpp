// SPDX-License-Identifier: ISC
#include "nrt/compute_unit.hpp"

#include <xtc.h>
#include <xtc_async.h>

#include <new>

#include "base/assert.hpp"
#include "nrt/exec_callback.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

std::unique_ptr<ComputeUnit> ComputeUnit::make(const Loops& loops, uint32_t core, uint32_t capacity,
                                               uint64_t last_number) {
    Ref<Unit> unit =
        Unit::make({core, NRTA_XU_COMPUTE, 0}, loops.exec(), loops.index_of(core), capacity, last_number);
    if (!unit) return nullptr;
    return std::unique_ptr<ComputeUnit>(new (std::nothrow) ComputeUnit(loops.loop_of(core), std::move(unit)));
}

NRT_STATUS ComputeUnit::submit(Execution& execution, uint64_t* number) {
    Unit::Job job;
    job.run = run_job;
    job.words[0] = reinterpret_cast<uint64_t>(this);
    job.words[1] = reinterpret_cast<uint64_t>(&execution);
    nrta_seq_t seq = 0;
    execution.begin_access();
    const NRT_STATUS status = unit_->push(job, &seq);
    if (status != NRT_SUCCESS)
        execution.end_access();
    else
        *number = number_of(seq);
    return status;
}

NRT_STATUS ComputeUnit::run_job(Unit& unit, Unit::Job& job, NRT_STATUS fate) {
    auto* const self = reinterpret_cast<ComputeUnit*>(job.words[0]);
    auto& execution = *reinterpret_cast<Execution*>(job.words[1]);
    if (unit.is_taken_over()) return self->end_in_place(execution, fate);
    self->at_work_ = {&execution, Stage::begun, fate};
    const NRT_STATUS status = fate == NRT_SUCCESS ? self->run(execution) : fate;
    if (unit.is_taken_over()) return status;
    self->at_work_ = {&execution, Stage::is_told, status};
    self->conclude(execution, status);
    self->at_work_ = {};
    return status;
}

NRT_STATUS ComputeUnit::run(Execution& execution) {
    if (execution.model().package().is_light()) {
        const Sleeper none{[](void*, int64_t) { XTC_UNREACHABLE(); }, nullptr};
        const NRT_STATUS status = judge(execution.run(none));
        at_work_ = {&execution, Stage::has_run, status};
        xtc_yield(); // one after another they would keep the loop to themselves
        return status;
    }
    if (device_ == nullptr) device_ = Device::make(loop_, unit_->id().core);
    if (device_ == nullptr) return NRT_RESOURCE;
    at_work_.stage = Stage::on_device;
    return judge(device_->run(execution));
}

NRT_STATUS ComputeUnit::judge(const Outcome& outcome) {
    const auto status = static_cast<NRT_STATUS>(outcome.status);
    if (outcome.is_fatal && !unit_->is_poisoned()) {
        log(LogLevel::error, "Core %u is lost until nrt_close and nrt_init: %s", unit_->id().core,
            nrt_get_status_as_str(status));
        unit_->poison();
    }
    return status;
}

NRT_STATUS ComputeUnit::end_in_place(Execution& execution, NRT_STATUS fate) {
    NRT_STATUS status = fate;
    if (at_work_.execution == &execution) {
        Outcome outcome;
        switch (at_work_.stage) {
        case Stage::begun:
            break;
        case Stage::on_device:
            if (device_->end_early(&outcome)) status = judge(outcome);
            break;
        case Stage::has_run:
            status = at_work_.status;
            break;
        case Stage::is_told: // the worker stands in the callback
            return at_work_.status;
        }
    }
    conclude(execution, status);
    return status;
}

// Who has the answer, or sees the number later, sees everything else.
void ComputeUnit::conclude(Execution& execution, NRT_STATUS status) {
    execution.end_access();
    execution.count_outputs();
    if (execution.mode == Execution::Mode::sync) {
        if (execution.answer(status)) return;
        return executions_.give_back(execution);
    }
    struct GiveBack { // also when the callback ends the process that calls it
        ExecutionPool& pool;
        Execution& execution;
        ~GiveBack() { pool.give_back(execution); }
    } back{executions_, execution};
    const nrta_seq_t job = sequence(unit_->id(), unit_->completed() + 1);
    call_exec_callback(execution.model().id(), unit_->id().core, job, status);
}

NRT_STATUS ComputeUnit::wait_for(Execution& execution, uint64_t number) {
    const NRT_STATUS status = execution.wait();
    // Answered a moment before: nearly always there is nothing to wait for.
    const int rc = unit_->wait_for(number);
    return rc == XTC_OK ? status : status_of(rc);
}

bool ComputeUnit::close(int64_t timeout_ns) {
    const int rc = unit_->stop(timeout_ns);
    if (rc != XTC_OK) {
        if (rc != XTC_E_AGAIN) xtc_sleep_ns(1'000'000); // no memory for the wait: look again
        return false;
    }
    if (device_ != nullptr) device_->stop();
    return true;
}

void ComputeUnit::take_over() {
    unit_->take_over();
    if (device_ != nullptr) device_->stop();
}

} // namespace xtc::nrt
