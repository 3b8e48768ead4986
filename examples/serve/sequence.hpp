// SPDX-License-Identifier: ISC
// A request as the batch group carries it. Two hold it, the client's process and the engine, and either may
// be the last: a client that leaves does not wait for the engine, and the engine does not keep what nobody
// reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "completion_request.hpp"
#include "output_channel.hpp"
#include "stop_matcher.hpp"

namespace serve {

class Sequence {
public:
    // Both holders have it from the start.
    static Sequence* make(const CompletionRequest& request, xtc_pid_t reader);
    // Each holder calls this once.
    void release();

    // Set before the group sees it, then only read.
    const std::string prompt;
    const std::uint32_t max_tokens;
    const Sampling sampling;
    const std::int64_t arrived_ns;

    OutputChannel output;

    // How many steps the engine had launched when it was asked to cancel.
    static constexpr std::uint64_t not_cancelled = UINT64_MAX;
    std::atomic<std::uint64_t> cancel_step = not_cancelled;

    // The engine's, on the device's loop.
    static constexpr std::uint32_t no_slot = UINT32_MAX;
    static constexpr std::uint32_t no_row = UINT32_MAX;
    std::uint64_t turn = 0; // arrival order of those with a slot
    std::uint32_t slot = no_slot;
    std::uint32_t row = no_row; // in the step that is under way
    std::uint32_t prefilled = 0;
    Finish finish = Finish::none;

    bool in_prefill() const { return prefilled < prompt.size(); }
    // Takes a chosen token; true when the answer is complete, and then finish says why.
    bool accept(std::uint8_t token);

private:
    Sequence(const CompletionRequest& request, xtc_pid_t reader);

    StopMatcher stops_;
    std::atomic<int> holders_ = 2;
};

// For the holder that leaves by its scope.
class SequenceHold {
public:
    explicit SequenceHold(Sequence* sequence) : sequence_(sequence) {}
    ~SequenceHold() { sequence_->release(); }
    SequenceHold(const SequenceHold&) = delete;
    SequenceHold& operator=(const SequenceHold&) = delete;

    Sequence* operator->() const { return sequence_; }
    Sequence* get() const { return sequence_; }

private:
    Sequence* sequence_;
};

} // namespace serve
