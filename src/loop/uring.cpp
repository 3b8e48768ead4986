// SPDX-License-Identifier: ISC
#include "loop/uring.hpp"

#include "base/assert.hpp"

#include <cerrno>
#include <cstdlib>
#include <liburing.h>
#include <linux/futex.h>
#include <new>
#include <sys/socket.h>

namespace xtc {

namespace {

// Newer than the headers of liburing 2.3.
constexpr int op_futex_wait = 51;
constexpr int futex_size_u32 = 2;
constexpr int futex_private = 128;
constexpr uint8_t int_flag_registered = 1;

// What the ring is asked to be. A shape is a whole: DEFER_TASKRUN needs SINGLE_ISSUER, and with deferred or
// cooperative task work TASKRUN_FLAG is how a look without a system call learns that there is something to
// fetch. The last two are for kernels that post completions by interrupting us. A kernel that does not know a
// flag says EINVAL; any other refusal is one of the whole ring.
constexpr unsigned flags_of_shape[Ring::shapes] = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
        IORING_SETUP_SUBMIT_ALL,
    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
    IORING_SETUP_SUBMIT_ALL,
    0,
};
// 5.11 is the oldest kernel with all of these.
constexpr unsigned needed_features =
    IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL | IORING_FEAT_EXT_ARG;
// Completions beyond the queue are kept by the kernel, at the price of an allocation each.
constexpr unsigned completions_per_entry = 8;

} // namespace

Ring::Ring() noexcept = default;

Ring::~Ring() {
    close();
}

int Ring::open(unsigned entries, unsigned shape) noexcept {
    XTC_ASSERT(!is_open());
    ring_.reset(new (std::nothrow) io_uring{});
    if (ring_ == nullptr) return -ENOMEM;
    int rc = -EINVAL;
    for (; shape < shapes && rc == -EINVAL; ++shape) {
        io_uring_params params{};
        params.flags = flags_of_shape[shape] | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE;
        params.cq_entries = entries * completions_per_entry;
        rc = io_uring_queue_init_params(entries, ring_.get(), &params);
    }
    if (rc != 0) {
        ring_.reset();
        return rc;
    }
    if ((ring_->features & needed_features) != needed_features) rc = -EINVAL;
    if (rc == 0) rc = examine();
    if (rc != 0) close();
    return rc;
}

int Ring::examine() noexcept {
    constexpr unsigned slots = 64;
    alignas(
        io_uring_probe) unsigned char room[sizeof(io_uring_probe) + slots * sizeof(io_uring_probe_op)] = {};
    auto* answer = reinterpret_cast<io_uring_probe*>(room);
    const int rc = io_uring_register_probe(ring_.get(), answer, slots);
    if (rc < 0) return rc;
    const auto* ops = reinterpret_cast<const io_uring_probe_op*>(room + sizeof(io_uring_probe));
    const auto has = [&](unsigned op) {
        return op < answer->ops_len && (ops[op].flags & IO_URING_OP_SUPPORTED);
    };
    has_futex_wait_ = has(op_futex_wait);
    for (const unsigned op : {IORING_OP_POLL_ADD, IORING_OP_RECV, IORING_OP_SEND, IORING_OP_ACCEPT,
                              IORING_OP_CONNECT, IORING_OP_ASYNC_CANCEL}) {
        if (!has(op)) return -EINVAL;
    }
    // A filter may let a ring be made and forbid to enter it.
    unsigned left = 0;
    const int entered = enter_once(0, for_ever, left);
    return entered < 0 ? entered : 0;
}

void Ring::close() noexcept {
    if (!is_open()) return;
    if (registered_) {
        // liburing would take the entry out of this thread's table, where it may be another ring's.
        ring_->int_flags = static_cast<uint8_t>(ring_->int_flags & ~int_flag_registered);
        ring_->enter_ring_fd = ring_->ring_fd;
    }
    io_uring_queue_exit(ring_.get());
    abandon();
}

void Ring::abandon() noexcept {
    ring_.reset();
    registered_ = tried_to_register_ = false;
}

void Ring::register_with_thread() noexcept {
    if (tried_to_register_) return;
    tried_to_register_ = true;
    registered_ = io_uring_register_ring_fd(ring_.get()) == 1;
}

void Ring::unregister_from_thread() noexcept {
    if (registered_) io_uring_unregister_ring_fd(ring_.get());
    registered_ = tried_to_register_ = false;
}

template <class Prepare> bool Ring::queue(uint64_t tag, Prepare&& prepare) noexcept {
    io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());
    if (sqe == nullptr) return false;
    *sqe = io_uring_sqe{};
    prepare(sqe);
    sqe->user_data = tag; // after the helpers of liburing, some of which clear it
    return true;
}

bool Ring::poll(int fd, uint32_t events, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) { io_uring_prep_poll_add(sqe, fd, events); });
}

bool Ring::recv(int fd, void* buf, size_t len, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) { io_uring_prep_recv(sqe, fd, buf, len, 0); });
}

bool Ring::send(int fd, const void* buf, size_t len, uint64_t tag) noexcept {
    // One try: a send that waits in the ring is woken for ever by a peer that has shut down its own
    // direction, and ends on a kernel thread.
    return queue(
        tag, [&](io_uring_sqe* sqe) { io_uring_prep_send(sqe, fd, buf, len, MSG_NOSIGNAL | MSG_DONTWAIT); });
}

bool Ring::accept(int fd, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) {
        io_uring_prep_accept(sqe, fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    });
}

bool Ring::connect(int fd, const void* address, size_t len, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) {
        io_uring_prep_connect(sqe, fd, static_cast<const sockaddr*>(address), static_cast<socklen_t>(len));
    });
}

bool Ring::futex_wait(const uint32_t* word, uint32_t value, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) {
        sqe->opcode = op_futex_wait;
        sqe->fd = futex_size_u32 | futex_private;
        sqe->addr = reinterpret_cast<uintptr_t>(word);
        sqe->off = value;
        sqe->addr3 = FUTEX_BITSET_MATCH_ANY;
    });
}

bool Ring::cancel(uint64_t target, uint64_t tag) noexcept {
    return queue(tag, [&](io_uring_sqe* sqe) { io_uring_prep_cancel64(sqe, target, 0); });
}

bool Ring::has_queued() const noexcept {
    return io_uring_sq_ready(ring_.get()) != 0;
}

bool Ring::wants_enter() const noexcept {
    return (IO_URING_READ_ONCE(*ring_->sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

bool Ring::has_completion() const noexcept {
    return io_uring_cq_ready(ring_.get()) != 0;
}

int Ring::enter_once(unsigned wait_for, int64_t timeout_ns, unsigned& left) noexcept {
    // What liburing's submit does before it enters. Its own calls cannot say "hand over, and wait at most so
    // long" in one system call and tell us about both.
    io_uring_sq& sq = ring_->sq;
    unsigned tail = *sq.ktail;
    for (; sq.sqe_head != sq.sqe_tail; ++sq.sqe_head, ++tail) {
        sq.array[tail & sq.ring_mask] = sq.sqe_head & sq.ring_mask;
    }
    io_uring_smp_store_release(sq.ktail, tail);

    ++entered_;
    const unsigned queued = tail - io_uring_smp_load_acquire(sq.khead);
    unsigned flags = IORING_ENTER_GETEVENTS;
    if (registered_) flags |= IORING_ENTER_REGISTERED_RING;
    int rc = 0;
    if (wait_for == 0 || timeout_ns == for_ever) {
        rc = io_uring_enter(static_cast<unsigned>(ring_->enter_ring_fd), queued, wait_for, flags, nullptr);
    } else {
        __kernel_timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
        io_uring_getevents_arg argument{};
        argument.ts = reinterpret_cast<uintptr_t>(&timeout);
        rc = io_uring_enter2(static_cast<unsigned>(ring_->enter_ring_fd), queued, wait_for,
                             flags | IORING_ENTER_EXT_ARG, reinterpret_cast<sigset_t*>(&argument),
                             sizeof(argument));
    }
    left = rc > 0 ? queued - static_cast<unsigned>(rc) : 0;
    return rc;
}

int Ring::enter(unsigned wait_for, int64_t timeout_ns) noexcept {
    for (;;) {
        unsigned left = 0;
        const int rc = enter_once(wait_for, timeout_ns, left);
        // A ring without SUBMIT_ALL stops behind an entry that fails at once, and does not wait then.
        if (left != 0) continue;
        if (rc >= 0 || rc == -ETIME || rc == -EINTR) return 0;
        // Not these: -EBADR, a completion was lost; -EEXIST, the thread is not the ring's.
        XTC_ASSERT(rc == -EAGAIN || rc == -EBUSY);
        return rc;
    }
}

unsigned Ring::take(Completion* out, unsigned max) noexcept {
    unsigned n = 0;
    unsigned head = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(ring_.get(), head, cqe) {
        if (n == max) break;
        out[n++] = {cqe->user_data, cqe->res};
    }
    io_uring_cq_advance(ring_.get(), n);
    return n;
}

int Ring::announce_on(int eventfd) noexcept {
    return io_uring_register_eventfd(ring_.get(), eventfd);
}

int probe_uring() noexcept {
    Ring ring;
    return ring.open(4);
}

} // namespace xtc
