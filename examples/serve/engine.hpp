// SPDX-License-Identifier: ISC
// Continuous batching: the group on the device's loop, and the callbacks that turn its vectors into steps of
// the model and the steps' tokens into the clients' text.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <xtc_batch.h>

#include "device_thread.hpp"
#include "metrics.hpp"
#include "sequence.hpp"
#include "step_builder.hpp"

namespace serve {

struct EngineLimits {
    std::size_t max_active = 16;
    std::size_t max_queued = 256;
    std::uint64_t kv_tokens = 0; // what prompts and answers of the active may take together
    std::size_t step_tokens = 64;
};

class Engine {
public:
    Engine(Model& model, const EngineLimits& limits, Metrics& metrics);

    // Before the loop's first run, and after its last.
    int open(xtc_loop_t* device_loop);
    int close();

    // Any loop. The engine's hold on the sequence lasts until it is finished, or until this fails.
    int submit(Sequence& sequence, std::uint64_t* handle);
    // A process of any loop; a sequence that is finished already is XTC_OK.
    int cancel(Sequence& sequence, std::uint64_t handle);
    // A process of the device's loop: takes no more, finishes what is there, cancels what is not done in
    // time.
    int drain_for(std::int64_t limit_ns);
    // A process of the device's loop: cancels what is there.
    int cancel_all();
    // A process of another loop; waits for the device's.
    int read_stats(xtc_batch_stats_t& group, xtc_batch_async_stats_t& async);

private:
    int launch(const xtc_batch_item_t* items, std::size_t count, xtc_batch_exec_t& exec);
    int collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, std::size_t count,
                int exec_status);
    void complete(Sequence& sequence, int outcome);
    void take_slot(Sequence& sequence);
    void note_cancel(const Sequence& sequence);
    int advance(Sequence& sequence);

    Metrics& metrics_;
    const EngineLimits limits_;
    xtc_loop_t* loop_ = nullptr;
    xtc_batch_t* group_ = nullptr;
    StepBuilder builder_;
    Step step_;
    std::vector<std::uint32_t> free_slots_;
    std::uint64_t turns_ = 0;
    std::atomic<std::uint64_t> steps_ = 0; // launched
    std::int64_t launched_ns_ = 0;
    DeviceThread device_; // last, so that it has stopped before what its step uses goes
};

} // namespace serve
