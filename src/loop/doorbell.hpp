// SPDX-License-Identifier: ISC
// How another thread ends the sleep of a loop. A count of rings, which both sides read and write in one total
// order (sequentially consistent), and a word that says how the owner listens.
//
// No ring is lost. The ringer adds to the count, then reads the ear; the owner sets its ear, then reads the
// count. In any total order one of them sees the other: either the owner sees the new count and does not
// sleep, or the ringer sees the ear and makes the system call. Between the owner's last look at the count and
// its sleep the kernel looks again: a futex wait, by system call or in the ring, carries the count it is to
// sleep on and returns at once when that is no longer the count; an eventfd stays readable until it is
// drained. A futex wait still in the ring from an earlier sleep may carry an old count: it was accepted while
// the count was current, so it is queued in the kernel, and FUTEX_WAKE ends it whatever the count is now.
#pragma once

#include <atomic>
#include <cstdint>

namespace xtc {

class Doorbell {
public:
    enum class Ear : uint32_t { none, futex, eventfd };

    Doorbell() = default;
    Doorbell(const Doorbell&) = delete;
    Doorbell& operator=(const Doorbell&) = delete;
    ~Doorbell();

    // Any thread. No system call when the owner is awake or another ringer is already making it.
    void ring() noexcept;

    // All below: the owner.

    // Was it rung since the last time this was asked?
    bool take() noexcept {
        const uint32_t count = count_.load(std::memory_order_seq_cst);
        if (count == heard_) return false;
        heard_ = count;
        return true;
    }
    // false: rung meanwhile, do not sleep.
    bool listen(Ear ear) noexcept {
        ear_.store(ear, std::memory_order_seq_cst);
        if (count_.load(std::memory_order_seq_cst) == heard_) return true;
        stop_listening();
        return false;
    }
    void stop_listening() noexcept { ear_.store(Ear::none, std::memory_order_relaxed); }

    // Sleeps in the futex itself until rung or until `until`. Only while listening with Ear::futex.
    void sleep(int64_t until) noexcept;

    // What the ring's own futex wait needs.
    const uint32_t* word() const noexcept { return reinterpret_cast<const uint32_t*>(&count_); }
    uint32_t heard() const noexcept { return heard_; }

    // The eventfd, made when first asked for; -errno when there is none to be had.
    int eventfd() noexcept;
    // Makes the eventfd readable without a ring.
    void announce() noexcept;
    void drain() noexcept;
    // Someone wrote to the eventfd what was not drained yet. Knows only of rings.
    bool is_undrained() const noexcept { return written_.load(std::memory_order_relaxed) != drained_; }
    // In a forked child: the eventfd's number is not ours to close.
    void abandon() noexcept { eventfd_ = -1; }

private:
    std::atomic<uint32_t> count_{0};
    std::atomic<Ear> ear_{Ear::none};
    std::atomic<uint32_t> written_{0};
    uint32_t heard_ = 0;
    uint32_t drained_ = 0;
    int eventfd_ = -1;

    static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t)); // the kernel compares it
};

} // namespace xtc
