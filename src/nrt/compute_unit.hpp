// SPDX-License-Identifier: ISC
// The unit of one core that runs models: executions through its queue, light ones on the worker's fiber,
// kernels on the core's device.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>
#include <memory>

#include "nrt/device.hpp"
#include "nrt/execution.hpp"
#include "nrt/execution_pool.hpp"
#include "nrt/loops.hpp"
#include "nrt/unit.hpp"

namespace xtc::nrt {

class ComputeUnit {
public:
    // Numbers go on after `last_number`. Empty: no memory.
    static std::unique_ptr<ComputeUnit> make(const Loops& loops, uint32_t core, uint32_t capacity,
                                             uint64_t last_number);

    ExecutionPool& executions() noexcept { return executions_; }
    Unit& unit() const noexcept { return *unit_; }

    // Accepts it and gives its number, or NRT_EXEC_UNIT_UNRECOVERABLE, NRT_QUEUE_FULL, NRT_RESOURCE, and
    // nothing happened.
    NRT_STATUS submit(Execution& execution, uint64_t* number);
    // A synchronous one, by who submitted it: its status, once its number is complete.
    NRT_STATUS wait_for(Execution& execution, uint64_t number);
    // Until everything accepted before is complete.
    int wait_until_drained() { return unit_->wait_for(unit_->issued()); }

    // Nobody submits any more. Works off what is accepted and ends the worker, or waits at most so long for
    // it; true: it has ended.
    bool close(int64_t timeout_ns);
    // The loops stand still: what is accepted ends with NRT_CLOSED, but for a kernel that has begun.
    void take_over();

private:
    // How far the worker is with an execution: who ends it in its place goes on from there.
    enum class Stage { begun, on_device, has_run, is_told };

    ComputeUnit(xtc_loop_t* loop, Ref<Unit> unit) : loop_(loop), unit_(std::move(unit)) {}

    static NRT_STATUS run_job(Unit& unit, Unit::Job& job, NRT_STATUS fate);
    NRT_STATUS run(Execution& execution);
    NRT_STATUS judge(const Outcome& outcome);
    NRT_STATUS end_in_place(Execution& execution, NRT_STATUS fate);
    void conclude(Execution& execution, NRT_STATUS status);

    xtc_loop_t* const loop_;
    const Ref<Unit> unit_;
    ExecutionPool executions_;
    // The worker's, or of who ends the work in its place.
    std::unique_ptr<Device> device_;
    struct {
        Execution* execution = nullptr; // nullptr: idle
        Stage stage = Stage::begun;
        NRT_STATUS status = NRT_SUCCESS; // from Stage::has_run on
    } at_work_;
};

} // namespace xtc::nrt
