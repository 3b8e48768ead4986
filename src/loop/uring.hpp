// SPDX-License-Identifier: ISC
// One io_uring: made, filled, entered and read by one thread. It knows nothing of operations; a `tag` is
// given back with the completion of what was queued under it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct io_uring;

namespace xtc {

class Ring {
public:
    static constexpr int64_t for_ever = INT64_MAX;

    struct Completion {
        uint64_t tag;
        int32_t result;
    };

    Ring() noexcept;
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring();

    // 0 or -errno: -EINVAL also when the kernel has a ring that lacks what we need. `shape` is where to
    // begin, 0 is the best; kernels that do not have it get the next one that they have.
    static constexpr unsigned shapes = 4;
    int open(unsigned entries, unsigned shape = 0) noexcept;
    void close() noexcept;
    bool is_open() const noexcept { return ring_ != nullptr; }
    // In a forked child: forgets the ring and leaves the kernel and the shared memory alone.
    void abandon() noexcept;

    // The kernel keeps a table of rings for each thread; an entry saves a look-up at every enter. Asked of
    // the thread that enters, and given back by it.
    void register_with_thread() noexcept;
    void unregister_from_thread() noexcept;

    bool has_futex_wait() const noexcept { return has_futex_wait_; }

    // Each queues one entry; false: the queue is full, enter first.
    bool poll(int fd, uint32_t events, uint64_t tag) noexcept;
    bool recv(int fd, void* buf, size_t len, uint64_t tag) noexcept;
    bool send(int fd, const void* buf, size_t len, uint64_t tag) noexcept;
    bool accept(int fd, uint64_t tag) noexcept;
    bool connect(int fd, const void* address, size_t len, uint64_t tag) noexcept;
    bool futex_wait(const uint32_t* word, uint32_t value, uint64_t tag) noexcept;
    bool cancel(uint64_t target, uint64_t tag) noexcept;

    bool has_queued() const noexcept;
    // Work for us waits inside the kernel.
    bool wants_enter() const noexcept;
    bool has_completion() const noexcept;

    // Hands over what is queued, lets the kernel post completions, and sleeps until `wait_for` of them are
    // there or the time is up. 0, also when woken early; -EAGAIN or -EBUSY: the kernel has not taken all of
    // it.
    int enter(unsigned wait_for, int64_t timeout_ns) noexcept;
    unsigned take(Completion* out, unsigned max) noexcept;
    // How often the kernel was entered; goes round.
    uint32_t entered() const noexcept { return entered_; }

    // Every completion also writes to this eventfd. 0 or -errno.
    int announce_on(int eventfd) noexcept;

private:
    template <class Prepare> bool queue(uint64_t tag, Prepare&& prepare) noexcept;
    int enter_once(unsigned wait_for, int64_t timeout_ns, unsigned& left) noexcept;
    int examine() noexcept;

    std::unique_ptr<io_uring> ring_;
    bool registered_ = false;
    bool tried_to_register_ = false;
    bool has_futex_wait_ = false;
    uint32_t entered_ = 0;
};

// Makes a throw-away ring and sends something through it. 0, or the -errno with which that was refused.
int probe_uring() noexcept;

} // namespace xtc
