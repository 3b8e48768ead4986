// SPDX-License-Identifier: ISC
// What both production drivers know about an operation: its flags while in flight, the lists it stands on and
// how to perform it without waiting.
#pragma once

#include "seam/driver.h"

#include <cstdint>

namespace xtc {

// In priv[0] while an operation is in flight.
namespace op_flag {
inline constexpr uint64_t queued = 1;         // uring: on the list of those the kernel has not seen
inline constexpr uint64_t in_kernel = 2;      // uring: an SQE of ours speaks of it
inline constexpr uint64_t by_poll = 4;        // uring: the ring waits for readiness, then we perform it
inline constexpr uint64_t recalled = 8;       // uring: suspend wants it back
inline constexpr uint64_t cancel_queued = 16; // uring: on the list of cancels to be sent
inline constexpr uint64_t cancel_sent = 32;   // uring: a cancel has not been answered yet
inline constexpr uint64_t on_side = 64;       // uring: lent to the epoll set beside the ring
inline constexpr uint64_t cancelled = 128;    // the caller wants it to end
inline constexpr uint64_t aborted = 256;      // its fd was closed by close_fd
inline constexpr uint64_t orphan = 512;       // epoll: its file is gone, another may have the number
inline constexpr uint64_t finished = 1024;    // has its result
inline constexpr uint64_t at_once = 2048;     // uring: may have been ready when it was handed over
inline constexpr int epoch_shift = 32;        // uring: above, how often the ring had been entered before
} // namespace op_flag

// Linked by next and prev; take_all leaves what the seam calls a list: ended by a null `next`.
class OpList {
public:
    bool empty() const { return head_ == nullptr; }
    xtc_op_t* front() const { return head_; }

    void push_back(xtc_op_t* op) {
        op->next = nullptr;
        op->prev = tail_;
        (tail_ != nullptr ? tail_->next : head_) = op;
        tail_ = op;
    }
    void remove(xtc_op_t* op) {
        (op->prev != nullptr ? op->prev->next : head_) = op->next;
        (op->next != nullptr ? op->next->prev : tail_) = op->prev;
    }
    xtc_op_t* take_all() {
        xtc_op_t* first = head_;
        head_ = tail_ = nullptr;
        return first;
    }
    void append_all(xtc_op_t* first) {
        while (first != nullptr) {
            xtc_op_t* next = first->next;
            push_back(first);
            first = next;
        }
    }

private:
    xtc_op_t* head_ = nullptr;
    xtc_op_t* tail_ = nullptr;
};

// First in, first out, linked through priv[1], so that an operation may stand on an OpList as well.
class OpQueue {
public:
    bool empty() const { return head_ == nullptr; }
    void push(xtc_op_t* op) {
        op->priv[1] = 0;
        if (tail_ != nullptr)
            tail_->priv[1] = reinterpret_cast<uintptr_t>(op);
        else
            head_ = op;
        tail_ = op;
    }
    xtc_op_t* pop() {
        xtc_op_t* op = head_;
        head_ = reinterpret_cast<xtc_op_t*>(static_cast<uintptr_t>(op->priv[1]));
        if (head_ == nullptr) tail_ = nullptr;
        return op;
    }

private:
    xtc_op_t* head_ = nullptr;
    xtc_op_t* tail_ = nullptr;
};

// The operation that a try has just found would block: it need not be tried or looked at again when it is
// submitted right away. Its address alone may be another operation's by then.
class LastTry {
public:
    void remember(const xtc_op_t* op) {
        op_ = op;
        fd_ = op->fd;
        kind_ = op->kind;
    }
    void forget() { op_ = nullptr; }
    bool take(const xtc_op_t* op) {
        const bool is_same = op_ == op && fd_ == op->fd && kind_ == op->kind;
        forget();
        return is_same;
    }

private:
    const xtc_op_t* op_ = nullptr;
    int fd_ = -1;
    uint8_t kind_ = 0;
};

// The real monotonic clock.
int64_t monotonic_now() noexcept;

// 0: fd may be waited on. -EBADF: not open. -EINVAL: neither socket, fifo, character device nor anonymous
// inode; a ring would report a regular file readable at once, an epoll set would refuse it.
int check_pollable(int fd) noexcept;

// Performs op without waiting. true: op->res is set. POLL does not check the kind of file. `again`: op is a
// CONNECT that has begun.
bool perform_now(xtc_op_t* op, bool again) noexcept;

// The poll(2) bits after which perform_now is worth a try.
uint32_t readiness_of(const xtc_op_t* op) noexcept;

// try_op of the seam, the same for both drivers.
int try_op(xtc_op_t* op) noexcept;

} // namespace xtc
