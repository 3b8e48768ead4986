// SPDX-License-Identifier: ISC
#include "nrt/lifecycle.hpp"

#include <new>
#include <pthread.h>

#include "base/assert.hpp"
#include "nrt/callout.hpp"
#include "nrt/exec_callback.hpp"
#include "nrt/log.hpp"
#include "nrt/masked.hpp"
#include "nrt/status.hpp"
#include "seam/loop.h"

namespace xtc::nrt {

Lifecycle& Lifecycle::the() noexcept {
    // Never destroyed: threads may call while the process exits without nrt_close.
    alignas(Lifecycle) static unsigned char room[sizeof(Lifecycle)];
    static Lifecycle* const it = new (room) Lifecycle;
    return *it;
}

void Lifecycle::move(State to) noexcept {
    XTC_ASSERT(may_move(state(), to));
    state_.store(to, std::memory_order_seq_cst);
}

void Lifecycle::watch_forks() {
    const auto before = [] {
        the().lock_.lock();
        hold_exec_callback();
    };
    const auto in_parent = [] {
        release_exec_callback();
        the().lock_.unlock();
    };
    const auto in_child = [] {
        release_exec_callback();
        the().after_fork();
        the().lock_.unlock();
    };
    ::pthread_atfork(before, in_parent, in_child);
}

// Only this thread is there. What nrt_init was about to make is the parent's; what nrt_close was about to
// take down is as good as initialised.
void Lifecycle::after_fork() noexcept {
    const bool closing = change_.exchange(Change::none) == Change::closing;
    if (closing || state() == State::init) move(State::child);
    new (&changes_) WaitList; // somebody may have held its lock
    for (Lane& lane : lanes_) lane.calls.store(0);
}

NRT_STATUS Lifecycle::begin_open(bool* is_mine) {
    static std::once_flag watching;
    std::call_once(watching, watch_forks);
    for (;;) {
        {
            const std::lock_guard hold(lock_);
            const Change change = change_.load();
            if (change == Change::closing) {
                log(LogLevel::warn, "nrt_init: nrt_close is at work");
                return NRT_CLOSED;
            }
            if (state() == State::child) {
                log(LogLevel::error, "Incompatible runtime state: %s", name_of(State::child));
                return NRT_FAILURE;
            }
            if (change == Change::none) {
                *is_mine = state() != State::init;
                if (*is_mine) change_.store(Change::opening);
                return NRT_SUCCESS;
            }
        }
        const int rc = changes_.wait([this] { return change_.load() != Change::opening; });
        if (rc != XTC_OK) return status_of(rc);
    }
}

NRT_STATUS Lifecycle::end_open(NRT_STATUS status, std::unique_ptr<Runtime> runtime) {
    {
        const std::lock_guard hold(lock_);
        if (status == NRT_SUCCESS) {
            runtime_ = std::move(runtime);
            move(State::init);
        }
        change_.store(Change::none);
    }
    changes_.changed();
    return status;
}

NRT_STATUS Lifecycle::open_masked() {
    if (const int rc = xtc_seam_may_wait(); rc != XTC_OK) {
        log(LogLevel::error, "nrt_init: can not wait here: %s", xtc_strerror(rc));
        return status_of(rc);
    }
    bool is_mine = false;
    if (const NRT_STATUS status = begin_open(&is_mine); status != NRT_SUCCESS) return status;
    if (!is_mine) {
        log(LogLevel::info, "nrt_init: already initialised");
        return NRT_SUCCESS;
    }
    std::unique_ptr<Runtime> runtime;
    const NRT_STATUS status = Runtime::make(host_exec_, &runtime);
    return end_open(status, std::move(runtime));
}

void Lifecycle::close_masked() {
    if (Loops::is_own_thread()) {
        log(LogLevel::error, "nrt_close: called on a thread of the runtime, which it would have to join");
        return;
    }
    if (Callout::is_inside()) {
        log(LogLevel::error, "nrt_close: called by a callback or package, whose return it would wait for");
        return;
    }
    // On a loop's thread outside a fiber, what would end the calls under way may need this very thread.
    if (const int rc = xtc_seam_may_wait(); rc != XTC_OK) {
        log(LogLevel::error, "nrt_close: can not wait here: %s", xtc_strerror(rc));
        return;
    }
    {
        const std::lock_guard hold(lock_);
        if (state() != State::init) return;
        move(State::closed);
        change_.store(Change::closing);
    }
    wait_until_quiet();
    runtime_->shut_down();
    {
        const std::lock_guard hold(lock_); // a child of fork looks at the runtime until the change is over
        retire();
        change_.store(Change::none);
    }
    changes_.changed();
}

// Calls may wait for what only the host's loops could do. Those that stand still are held from then on.
void Lifecycle::wait_until_quiet() {
    const bool may_stop = runtime_->loops().are_hosts();
    for (;;) {
        const bool stand = may_stop && runtime_->end_on_halted_loops();
        const int rc =
            changes_.wait([this, stand] { return is_quiet(stand); }, may_stop ? Loops::kLookAgainNs : -1);
        if (rc == XTC_OK) return;
        if (rc != XTC_E_AGAIN) xtc_sleep_ns(1'000'000); // no memory for the wait: look again
    }
}

// Under lock_.
void Lifecycle::retire() noexcept {
    std::unique_ptr<Runtime> closed = std::move(runtime_);
    closed->next = std::move(retired_);
    for (std::unique_ptr<Runtime>* at = &closed; *at != nullptr;) {
        if ((*at)->is_in_use()) {
            at = &(*at)->next;
            continue;
        }
        std::unique_ptr<Runtime> gone = std::move(*at);
        *at = std::move(gone->next);
        gone->let_go_of_loops();
    }
    retired_ = std::move(closed);
    for (Runtime* kept = retired_.get(); kept != nullptr; kept = kept->next.get()) kept->let_go_of_loops();
}

// A kill between the steps would leave the change half done.
NRT_STATUS Lifecycle::open() {
    Masked masked;
    const NRT_STATUS status = open_masked();
    masked.leave();
    return status;
}

void Lifecycle::close() {
    Masked masked;
    close_masked();
    masked.leave();
}

NRT_STATUS Lifecycle::use_exec(xtc_exec_t* exec) {
    const std::lock_guard hold(lock_);
    if (change_.load() != Change::none || state() == State::init || state() == State::child) {
        log(LogLevel::error, "nrt_xtc_use_exec: only before nrt_init or after nrt_close");
        return NRT_FAILURE;
    }
    host_exec_ = exec;
    return NRT_SUCCESS;
}

uint32_t Lifecycle::enter() noexcept {
    static std::atomic<uint32_t> threads{0};
    thread_local const uint32_t lane = threads.fetch_add(1, std::memory_order_relaxed) % kLanes;
    lanes_[lane].calls.fetch_add(1, std::memory_order_seq_cst);
    return lane;
}

void Lifecycle::leave(uint32_t lane) noexcept {
    lanes_[lane].calls.fetch_sub(1, std::memory_order_seq_cst);
    changes_.changed();
}

void Lifecycle::move_to_host(uint32_t lane, Runtime& runtime) noexcept {
    runtime.enter_on_host();
    lanes_[lane].calls.fetch_sub(1, std::memory_order_seq_cst);
}

void Lifecycle::leave_host(Runtime& runtime) noexcept {
    runtime.leave_on_host(); // it may be gone from here on
    changes_.changed();
}

bool Lifecycle::is_quiet(bool loops_stand) const noexcept {
    for (const Lane& lane : lanes_)
        if (lane.calls.load(std::memory_order_seq_cst) != 0) return false;
    return loops_stand || runtime_->calls_on_host() == 0;
}

} // namespace xtc::nrt
