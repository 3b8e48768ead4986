// SPDX-License-Identifier: ISC
// C ABI: execution, synchronous or implicitly asynchronous.
#include <nrt/nrt.h>
#include <xtc.h>

#include <new>

#include "nrt/callout.hpp"
#include "nrt/drop_scope.hpp"
#include "nrt/exec_callback.hpp"
#include "nrt/gate.hpp"
#include "nrt/log.hpp"
#include "nrt/masked.hpp"
#include "nrt/status.hpp"
#include "nrt/worst_status.hpp"
#include "seam/loop.h"

using namespace xtc::nrt;

namespace {

// Gives the execution back, unless the queue has it.
class Borrowed {
public:
    explicit Borrowed(ExecutionPool& pool)
        : pool_(pool), execution_(pool.take()),
          dropped_([](void* self) { static_cast<Borrowed*>(self)->drop(); }, this) {}
    ~Borrowed() {
        if (execution_ != nullptr) pool_.give_back(*execution_);
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    Execution* get() const noexcept { return execution_; }
    Execution* operator->() const noexcept { return execution_; }
    void is_queued() noexcept { execution_ = nullptr; }
    void is_awaited() noexcept { is_awaited_ = true; }

private:
    void drop() noexcept {
        if (execution_ == nullptr || (is_awaited_ && execution_->desert())) return;
        pool_.give_back(*execution_);
    }

    ExecutionPool& pool_;
    Execution* execution_;
    bool is_awaited_ = false;
    DropScope dropped_;
};

TensorSet* find_set(const nrt_tensor_set_t* handle, const char* name) {
    TensorSet* const set = TensorSet::of(handle);
    if (set == nullptr) log(LogLevel::error, handle == nullptr ? "%s is NULL" : "%s is no tensor set", name);
    return set;
}

// Waits for room. At most `patience_ns`; negative: as long as it takes.
NRT_STATUS submit(ComputeUnit& unit, Execution& execution, int64_t patience_ns, uint64_t* number) {
    const int64_t begin = patience_ns < 0 ? 0 : xtc_clock_mono();
    for (;;) {
        const NRT_STATUS status = unit.submit(execution, number);
        if (status != NRT_QUEUE_FULL || Callout::is_awaited_by_core()) return status;
        const int64_t left = patience_ns < 0 ? -1 : patience_ns - (xtc_clock_mono() - begin);
        if (patience_ns >= 0 && left <= 0) return NRT_TIMEOUT;
        const int rc = unit.unit().wait_for_room(left);
        if (rc != XTC_OK) return status_of(rc);
    }
}

NRT_STATUS run_sync(ComputeUnit& unit, Borrowed& execution, const Settings& settings, bool* was_accepted) {
    execution->mode = Execution::Mode::sync;
    if (Callout::is_awaited_by_core()) {
        log(LogLevel::error, "nrt_execute: queued work waits for this callback or entry");
        return NRT_FAILURE;
    }
    if (const int rc = xtc_seam_may_wait(); rc != XTC_OK) {
        log(LogLevel::error, "nrt_execute: can not wait here: %s", xtc_strerror(rc));
        return status_of(rc);
    }
    if (const int rc = execution->wait_for_transfers(); rc != XTC_OK) return status_of(rc);
    const int64_t patience_ns = int64_t{settings.exec_timeout_s} * 1'000'000'000;
    uint64_t number = 0;
    if (const NRT_STATUS status = submit(unit, *execution.get(), patience_ns, &number); status != NRT_SUCCESS)
        return status;
    *was_accepted = true;
    execution.is_awaited();
    return unit.wait_for(*execution.get(), number);
}

struct Call {
    nrt_model_t* model;
    const nrt_tensor_set_t* in;
    nrt_tensor_set_t* out;
};

NRT_STATUS execute_once(Runtime& runtime, const Call& call, bool* was_accepted) {
    PinnedModel model = runtime.models().find(call.model);
    if (!model) {
        log(LogLevel::error, "nrt_execute: no such model");
        return NRT_INVALID_HANDLE;
    }
    const TensorSet* const in = find_set(call.in, "input_set");
    const TensorSet* const out = find_set(call.out, "output_set");
    if (in == nullptr || out == nullptr) return NRT_INVALID;
    ComputeUnit& unit = runtime.compute_unit(model->core());
    Borrowed execution(unit.executions());
    if (execution.get() == nullptr) return NRT_RESOURCE;
    const bool is_implicit = runtime.settings().implicit_async();
    const auto placement = is_implicit ? Execution::Placement::device : Execution::Placement::anywhere;
    if (const NRT_STATUS status = execution->bind(std::move(model), *in, *out, placement);
        status != NRT_SUCCESS)
        return status;
    if (!is_implicit) return run_sync(unit, execution, runtime.settings(), was_accepted);
    execution->mode = Execution::Mode::implicit;
    uint64_t number = 0;
    const NRT_STATUS status = submit(unit, *execution.get(), -1, &number);
    if (status == NRT_SUCCESS) execution.is_queued();
    *was_accepted = status == NRT_SUCCESS;
    return status;
}

// A kill waits: the tensors are the caller's.
NRT_STATUS execute_masked(Runtime& runtime, const Call& call, bool* was_accepted) {
    Masked masked;
    NRT_STATUS status = NRT_RESOURCE;
    try {
        status = execute_once(runtime, call, was_accepted);
    } catch (const std::bad_alloc&) { // not for a kill: it is held back
    }
    masked.leave();
    return status;
}

NRT_STATUS execute(const Call& call, int repeat_count) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(call.model, "model") || !is_given(call.in, "input_set") ||
        !is_given(call.out, "output_set"))
        return NRT_INVALID;
    if (repeat_count < 1) {
        log(LogLevel::error, "nrt_execute_repeat: %d times is not a number of times", repeat_count);
        return NRT_INVALID;
    }
    NRT_STATUS worst = NRT_SUCCESS;
    for (int i = 0; i < repeat_count; ++i) {
        // A fiber that went on after its executor had been closed under it.
        if (gate.runtime().is_closed()) return worse(worst, NRT_CLOSED);
        bool was_accepted = false;
        worst = worse(worst, execute_masked(gate.runtime(), call, &was_accepted));
        if (!was_accepted) break; // every further one would be refused for the same reason
    }
    return worst;
}

} // namespace

NRT_STATUS nrt_execute(nrt_model_t* model, const nrt_tensor_set_t* input_set, nrt_tensor_set_t* output_set) {
    return execute({model, input_set, output_set}, 1);
}

NRT_STATUS nrt_execute_repeat(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                              nrt_tensor_set_t* output_set, int repeat_count) {
    return execute({model, input_set, output_set}, repeat_count);
}

NRT_STATUS nrt_register_async_exec_callback(NRT_ASYNC_EXEC_STATUS_CALLBACK callback, void* params) {
    set_exec_callback(callback, params);
    return NRT_SUCCESS;
}

NRT_STATUS nrt_async_drain_queued_execs(int32_t vnc) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!gate.runtime().cores().has(vnc)) {
        log(LogLevel::error, "Failed to find logical core (lnc_idx=%d)", vnc);
        return NRT_INVALID;
    }
    ComputeUnit& unit = gate.runtime().compute_unit(static_cast<uint32_t>(vnc));
    if (Callout::is_awaited_by_core()) {
        log(LogLevel::error, "nrt_async_drain_queued_execs: queued work waits for this callback or entry");
        return NRT_FAILURE;
    }
    const int rc = unit.wait_until_drained();
    if (rc == XTC_OK) return NRT_SUCCESS;
    log(LogLevel::error, "nrt_async_drain_queued_execs: can not wait here: %s", xtc_strerror(rc));
    return status_of(rc);
}
