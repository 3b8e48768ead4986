// SPDX-License-Identifier: ISC
// The unit of one core that runs models: a bounded queue, and a fiber on the core's loop that works it off in
// order. The fiber is started on first use.
#pragma once

#include <nrt/nrt_status.h>
#include <xtc_proc.h>
#include <xtc_sync.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "nrt/device.hpp"
#include "nrt/execution.hpp"
#include "nrt/execution_pool.hpp"
#include "nrt/ref.hpp"
#include "nrt/request_ring.hpp"
#include "nrt/sequence.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class ComputeUnit : public Counted<ComputeUnit> {
public:
    // Numbers go on after `last_number`. Empty: no memory.
    static Ref<ComputeUnit> make(xtc_loop_t* loop, uint32_t core, uint32_t capacity, uint64_t last_number);

    ExecutionPool& executions() noexcept { return executions_; }

    // Accepts it, or NRT_EXEC_UNIT_UNRECOVERABLE, NRT_QUEUE_FULL, NRT_RESOURCE, and nothing happened.
    NRT_STATUS submit(Execution& execution);
    // Until the queue is not full; negative: for ever. XTC_E_DEADLK on the worker itself.
    int wait_for_room(int64_t timeout_ns);
    // Until everything accepted before is complete.
    int wait_until_drained();
    bool is_worker() const noexcept;

    bool is_lost() const noexcept { return lost_.load(std::memory_order_seq_cst); }
    Sequence completed() const noexcept { return number(ring_.completed()); }
    uint64_t last_number() const noexcept { return ring_.accepted(); }

    // Nobody submits any more: works off what is accepted, then ends fiber and thread.
    void close();

private:
    friend Counted<ComputeUnit>;
    ComputeUnit(xtc_loop_t* loop, uint32_t core, uint32_t capacity, uint64_t last_number);
    ~ComputeUnit();

    Sequence number(uint64_t counter) const noexcept { return {core_, NRTA_XU_COMPUTE, 0, counter}; }
    NRT_STATUS start();
    static void work(void* unit);
    void work_off();
    void sleep();
    void wake() noexcept;
    NRT_STATUS run(Execution& execution);
    void complete(Execution& execution, NRT_STATUS status);

    xtc_loop_t* const loop_;
    const uint32_t core_;
    RequestRing<Execution*> ring_;
    ExecutionPool executions_;
    std::unique_ptr<Device> device_; // the worker's
    xtc_notify_t* work_ = nullptr;

    std::mutex starting_;
    std::atomic<bool> started_{false};
    std::atomic<uint64_t> worker_{0}; // its pid; 0: it has not begun
    std::atomic<bool> asleep_{false};
    std::atomic<bool> lost_{false};
    std::atomic<bool> closing_{false};
    std::atomic<bool> ended_{false};
    WaitList progress_;
};

} // namespace xtc::nrt
