// SPDX-License-Identifier: ISC
// The driver over epoll: for kernels and containers that refuse io_uring, and for the few waits a ring gets
// wrong. Operations are performed by us when their fd is ready.
//
// Each fd is armed one-shot with what its waiters want. Arming is also how a closed and reused number is
// found out: the set forgets a file with its last number, so changing the entry answers ENOENT. The waiters
// from before are orphans then: their file is gone, nothing can end them but cancel and close_fd, and the
// slot's generation, which every event carries, keeps late events of the old file from the new waiters.
#pragma once

#include "loop/doorbell.hpp"
#include "loop/driver_op.hpp"
#include "loop/fd_table.hpp"

#include <sys/types.h>
#include <unistd.h>

namespace xtc {

class EpollDriver {
public:
    static const xtc_seam_driver_t table;

    // Listens to its own bell, or to a bell lent by the driver it stands beside.
    EpollDriver() = default;
    explicit EpollDriver(Doorbell& lent) : bell_(lent) {}
    EpollDriver(const EpollDriver&) = delete;
    EpollDriver& operator=(const EpollDriver&) = delete;
    ~EpollDriver();

    // 0 or -errno.
    int open() noexcept;
    // In a forked child: forgets what belongs to the parent.
    void abandon() noexcept;
    // From now on the set holds the bell's eventfd, and wait() may sleep. 0 or -errno.
    int hear_bell() noexcept;

    void submit(xtc_op_t* op) noexcept;
    void cancel(xtc_op_t* op) noexcept;
    xtc_op_t* wait(int64_t until) noexcept;
    void wake() noexcept { bell_.ring(); }
    // Ends the operations on fd, which the caller then closes.
    void abort_fd(int fd) noexcept;
    int pollfd() noexcept;
    // The set itself: readable when collect() would find something.
    int set_fd() const noexcept { return set_; }
    // wait() without sleep and without a look at the bell.
    xtc_op_t* collect() noexcept;
    xtc_op_t* take_finished() noexcept { return done_.take_all(); }
    bool has_finished() const noexcept { return !done_.empty(); }
    bool is_waiting() const noexcept { return in_flight_ != 0; }
    void remember_try(const xtc_op_t* op) noexcept { last_try_.remember(op); }

private:
    struct Slot {
        OpList ops;
        uint32_t generation;
        bool is_registered;
    };

    void finish(Slot* slot, xtc_op_t* op, int64_t result) noexcept;
    int arm(int fd, Slot& slot, xtc_op_t* newest) noexcept;
    int control(int how, int fd, const Slot& slot, uint32_t events) noexcept;
    void deliver(int fd, uint32_t generation, uint32_t events) noexcept;
    bool harvest(int64_t timeout_ns) noexcept; // false: interrupted
    void nap(int64_t until) noexcept;

    const pid_t made_by_ = ::getpid();
    Doorbell own_bell_;
    Doorbell& bell_ = own_bell_;
    FdTable<Slot> slots_;
    OpList done_;
    size_t in_flight_ = 0; // on slots
    LastTry last_try_;
    int set_ = -1;
    bool hears_bell_ = false;
    bool is_stepped_ = false; // a host sleeps on pollfd() between waits
    bool has_nanoseconds_ = true;
};

} // namespace xtc
