// SPDX-License-Identifier: ISC
#include "engine.hpp"

#include <algorithm>

#include <xtc.h>
#include <xtc_future.h>
#include <xtc_proc.h>

#include "process.hpp"

namespace serve {
namespace {

Sequence& sequence_of(const xtc_batch_item_t& item) {
    return *static_cast<Sequence*>(item.request);
}

} // namespace

Engine::Engine(Model& model, const EngineLimits& limits, Metrics& metrics)
    : metrics_(metrics), limits_(limits), builder_(limits.max_active, limits.step_tokens), device_(model) {
    step_.rows.reserve(limits.max_active);
    step_.tokens.reserve(std::max(limits.step_tokens, limits.max_active));
    for (std::size_t slot = limits.max_active; slot > 0; --slot) {
        free_slots_.push_back(static_cast<std::uint32_t>(slot - 1));
    }
}

int Engine::open(xtc_loop_t* device_loop) {
    xtc_batch_async_opts_t opts = {};
    opts.size = sizeof opts;
    opts.version = XTC_BATCH_VERSION;
    opts.capacity = limits_.max_active;
    opts.max_active = limits_.max_active;
    opts.resource_capacity = limits_.kv_tokens;
    // Whoever finds no slot waits as a held hand-in; when those are used up the server is overloaded.
    opts.mt_queue_cap = limits_.max_queued;
    opts.user = this;
    opts.submit = [](const xtc_batch_item_t* items, size_t count, void* user, xtc_batch_exec_t* exec) {
        return static_cast<Engine*>(user)->launch(items, count, *exec);
    };
    opts.collect = [](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count,
                      int exec_status, void* user) {
        return static_cast<Engine*>(user)->collect(items, results, count, exec_status);
    };
    opts.complete = [](uint64_t, void* request, int outcome, void* user) {
        static_cast<Engine*>(user)->complete(*static_cast<Sequence*>(request), outcome);
    };
    loop_ = device_loop;
    return xtc_batch_create_async(device_loop, &opts, &group_);
}

int Engine::close() {
    return xtc_batch_destroy(group_);
}

int Engine::submit(Sequence& sequence, std::uint64_t* handle) {
    metrics_.sequences.fetch_add(1);
    const std::uint64_t charge = sequence.prompt.size() + sequence.max_tokens;
    const int status = xtc_batch_submit_mt(group_, &sequence, charge, handle);
    if (status == XTC_OK) return status;
    metrics_.sequences.fetch_sub(1);
    sequence.release();
    return status;
}

int Engine::cancel(Sequence& sequence, std::uint64_t handle) {
    // Full control records are drained at the driver's next boundary, at the latest after the step under way.
    int status = xtc_batch_cancel_mt(group_, handle);
    while (status == XTC_E_AGAIN && xtc_proc_sleep(50'000) == XTC_OK)
        status = xtc_batch_cancel_mt(group_, handle);
    sequence.cancel_step.store(steps_.load());
    return status;
}

int Engine::drain_for(std::int64_t limit_ns) {
    return xtc_batch_drain_for(group_, limit_ns);
}

int Engine::cancel_all() {
    return xtc_batch_close(group_, XTC_BATCH_CANCEL);
}

int Engine::launch(const xtc_batch_item_t* items, std::size_t count, xtc_batch_exec_t& exec) {
    for (std::size_t i = 0; i < count; ++i) {
        Sequence& sequence = sequence_of(items[i]);
        if (sequence.slot == Sequence::no_slot) take_slot(sequence);
        builder_.add(sequence);
    }
    builder_.build(step_);
    launched_ns_ = xtc_clock_mono();
    if (!device_.launch(step_)) return XTC_E_INTERNAL;
    steps_.fetch_add(1);
    exec.kind = XTC_BATCH_EXEC_FENCE;
    exec.fence_fd = device_.fence_fd();
    return XTC_OK;
}

void Engine::take_slot(Sequence& sequence) {
    sequence.slot = free_slots_.back(); // there is one for each active member
    free_slots_.pop_back();
    sequence.turn = ++turns_;
    metrics_.slots_in_use.fetch_add(1);
    metrics_.queue_time.record(xtc_clock_mono() - sequence.arrived_ns);
    metrics_.prompt_tokens.fetch_add(sequence.prompt.size());
}

int Engine::collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, std::size_t count,
                    int exec_status) {
    // Otherwise the step may still run: the group ends its members, the device keeps the step.
    if (exec_status != XTC_BATCH_EXEC_OK) return XTC_OK;
    if (!device_.take_fence()) return XTC_E_IO;
    metrics_.step_time.record(xtc_clock_mono() - launched_ns_);
    for (std::size_t i = 0; i < count; ++i) results[i].state = advance(sequence_of(items[i]));
    return XTC_OK;
}

int Engine::advance(Sequence& sequence) {
    if (sequence.row == Sequence::no_row) return XTC_BATCH_CONTINUE; // the budget was used up before its turn
    const Row& row = step_.rows[sequence.row];
    if (sequence.in_prefill()) sequence.prefilled += row.count;
    if (!row.sample) return XTC_BATCH_CONTINUE;
    if (sequence.output.written().empty()) {
        metrics_.first_token_time.record(xtc_clock_mono() - sequence.arrived_ns);
    }
    metrics_.generated_tokens.fetch_add(1);
    return sequence.accept(row.token) ? XTC_BATCH_DONE : XTC_BATCH_CONTINUE;
}

void Engine::note_cancel(const Sequence& sequence) {
    const std::uint64_t asked = sequence.cancel_step.load();
    if (asked == Sequence::not_cancelled) return;
    const std::uint64_t took = steps_.load() - asked;
    if (took > metrics_.max_cancel_steps.load()) metrics_.max_cancel_steps.store(took);
}

void Engine::complete(Sequence& sequence, int outcome) {
    note_cancel(sequence);
    if (sequence.slot != Sequence::no_slot) {
        free_slots_.push_back(sequence.slot);
        metrics_.slots_in_use.fetch_sub(1);
    }
    metrics_.sequences.fetch_sub(1);
    const Finish otherwise = outcome == XTC_E_ABORTED ? Finish::cancelled : Finish::failed;
    sequence.output.finish(outcome == XTC_OK ? sequence.finish : otherwise);
    sequence.release();
}

int Engine::read_stats(xtc_batch_stats_t& group, xtc_batch_async_stats_t& async) {
    group = {};
    group.size = sizeof group;
    group.version = XTC_BATCH_VERSION;
    async = {};
    async.size = sizeof async;
    async.version = XTC_BATCH_VERSION;

    // Statistics belong to the group's loop, so a process there reads them and answers with a future.
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    if (const int status = xtc_future_new_pair(&promise, &future); status != XTC_OK) return status;
    const auto read = [this, &group, &async, promise] {
        int status = xtc_batch_get_stats(group_, &group);
        if (status == XTC_OK) status = xtc_batch_get_async_stats(group_, &async);
        xtc_promise_set(promise, 0, status);
    };
    if (const int status = spawn(loop_, "read stats", read); status != XTC_OK) {
        xtc_promise_drop(promise);
        xtc_future_discard(future);
        return status;
    }
    return xtc_future_await(future, nullptr);
}

} // namespace serve
