// SPDX-License-Identifier: ISC
// The one state of the process: not begun, initialised, closed, or a child that inherited what it can not
// use.
#pragma once

#include <nrt/nrt_status.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "nrt/runtime.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

enum class State { start = 0, init = 1, child = 2, closed = 3 };

constexpr const char* name_of(State state) noexcept {
    switch (state) {
    case State::start:
        return "NRT_STATE_START";
    case State::init:
        return "NRT_STATE_INIT";
    case State::child:
        return "NRT_STATE_CHILD";
    case State::closed:
        return "NRT_STATE_CLOSED";
    }
    return "NRT_STATE_UNKNOWN";
}

constexpr bool may_move(State from, State to) noexcept {
    switch (to) {
    case State::start:
        return false;
    case State::init: // nrt_init
        return from == State::start || from == State::closed;
    case State::child: // fork; closed: while nrt_close was at work
        return from == State::init || from == State::closed;
    case State::closed: // nrt_close
        return from == State::init;
    }
    return false;
}

class Lifecycle {
public:
    static Lifecycle& the() noexcept;

    NRT_STATUS open();
    void close();
    NRT_STATUS use_exec(xtc_exec_t* exec);

    State state() const noexcept { return state_.load(std::memory_order_seq_cst); }

    // A gated call: close() waits for all that have entered and seen State::init. leave() takes the lane that
    // enter() gave.
    uint32_t enter() noexcept;
    void leave(uint32_t lane) noexcept;
    // A call of a fiber on the host's loops counts on the runtime instead: close() must not wait for loops
    // that stand still.
    void move_to_host(uint32_t lane, Runtime& runtime) noexcept;
    void leave_host(Runtime& runtime) noexcept;
    Runtime& runtime() noexcept { return *runtime_; }

private:
    enum class Change { none, opening, closing };
    // Calls of different threads count on different cache lines.
    struct alignas(64) Lane {
        std::atomic<uint64_t> calls{0};
    };
    static constexpr uint32_t kLanes = 16;

    NRT_STATUS begin_open(bool* is_mine);
    NRT_STATUS open_masked();
    void close_masked();
    NRT_STATUS end_open(NRT_STATUS status, std::unique_ptr<Runtime> runtime);
    bool is_quiet(bool loops_stand) const noexcept;
    void wait_until_quiet();
    void retire() noexcept;
    void move(State to) noexcept;
    void after_fork() noexcept;
    static void watch_forks();

    std::atomic<State> state_{State::start};
    std::atomic<Change> change_{Change::none};
    std::mutex lock_; // never held while waiting
    WaitList changes_;
    std::unique_ptr<Runtime> runtime_;
    std::unique_ptr<Runtime> retired_; // closed, and kept for fibers that stood in them
    xtc_exec_t* host_exec_ = nullptr;
    std::array<Lane, kLanes> lanes_;
};

} // namespace xtc::nrt
