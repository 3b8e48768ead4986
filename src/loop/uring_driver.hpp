// SPDX-License-Identifier: ISC
// The driver over io_uring.
//
// submit() and cancel() only note what is wanted; entries of the ring are written inside wait(), so that one
// io_uring_enter hands everything over and sleeps, a full ring loses nothing, and no entry that speaks of an
// fd is left waiting while the fd is closed.
//
// An operation is in the kernel until its completion has been read. It is not given back before the answer to
// every cancel of it has been read too, so an answer never speaks of storage that is somebody else's by now;
// and a cancel that did not find its operation, which happens while the kernel is about to try it again, is
// repeated until the operation ends.
//
// The ring belongs to the thread that made it. It is made when there is something to put in it; a wait on
// another thread after suspend() makes another.
#pragma once

#include "loop/doorbell.hpp"
#include "loop/driver_op.hpp"
#include "loop/epoll.hpp"
#include "loop/fd_table.hpp"
#include "loop/refusal.hpp"
#include "loop/uring.hpp"

#include <memory>
#include <sys/types.h>

namespace xtc {

// What tests make smaller and older than it is.
struct UringKernel {
    unsigned entries = 256;
    unsigned shape = 0; // of the ring
    bool has_futex_wait = true;
};

class UringDriver {
public:
    static const xtc_seam_driver_t table;
    // `may_fall_back`: when the ring cannot be made, an epoll set takes its place.
    UringDriver(bool may_fall_back, Teller tell, UringKernel kernel = {}) noexcept;
    UringDriver(const UringDriver&) = delete;
    UringDriver& operator=(const UringDriver&) = delete;
    ~UringDriver();

    void submit(xtc_op_t* op) noexcept;
    void cancel(xtc_op_t* op) noexcept;
    xtc_op_t* wait(int64_t until) noexcept;
    void wake() noexcept { bell_.ring(); }
    void abort_fd(int fd) noexcept;
    void suspend() noexcept;
    int pollfd() noexcept;
    void remember_try(const xtc_op_t* op) noexcept { last_try_.remember(op); }
    bool has_fallen_back() const noexcept { return refused_ != 0 && side_ != nullptr; }
    void abandon() noexcept; // in a forked child

private:
    void note(xtc_op_t* op) noexcept;
    void ask_back(xtc_op_t* op) noexcept;
    void finish(xtc_op_t* op, int64_t result) noexcept;
    void fail(xtc_op_t* op, int64_t result) noexcept;

    bool has_ring() noexcept;
    void leave_ring_of_another_thread() noexcept;
    void refuse(int error) noexcept;
    bool make_side() noexcept;
    void move_to_side(xtc_op_t* op) noexcept;
    void take_from_side() noexcept;

    bool has_loose_ends() const noexcept;
    void hand_over() noexcept;
    void start(xtc_op_t* op) noexcept;
    template <class Queue> void queue_entry(Queue&& queue) noexcept;
    void listen_in_ring() noexcept;
    void enter() noexcept;
    void nap(int64_t until) noexcept;
    bool make_host_set() noexcept;
    void leave_to_host() noexcept;
    bool is_more_to_find() const noexcept;
    xtc_op_t* wait_without_ring(int64_t until) noexcept;

    void reap() noexcept;
    void take_completion(const Ring::Completion& completion) noexcept;
    void take_cancel_answer(xtc_op_t* op, int result) noexcept;
    void settle(xtc_op_t* op) noexcept;
    bool was_waited_for(const xtc_op_t* op) const noexcept;
    bool is_at_rest() const noexcept {
        return in_kernel_ == 0 && unanswered_ == 0 && !bell_armed_ && !side_armed_;
    }

    Doorbell bell_;
    Ring ring_;
    FdTable<OpList> in_flight_; // but those on the side
    OpQueue noted_;             // not in the kernel
    OpQueue cancels_;           // to be sent
    OpList done_;
    size_t in_kernel_ = 0;
    size_t unanswered_ = 0; // cancels
    LastTry last_try_;

    // Waits that a ring gets wrong: it ends them when the peer has shut down its direction, asked or not.
    std::unique_ptr<EpollDriver> side_;

    uint64_t owner_ = 0;      // the thread of the ring
    uint32_t drained_at_ = 0; // Ring::entered() when last nothing was left to take out
    int refused_ = 0;         // -errno once the ring could not be made
    int host_set_ = -1;       // what pollfd() gave out: the eventfd, and the side set if that took over
    const UringKernel kernel_;
    const bool may_fall_back_;
    const pid_t made_by_;
    bool bell_armed_ = false;
    bool side_armed_ = false;
    bool bell_by_futex_ = true;
    const Teller tell_;
};

} // namespace xtc
