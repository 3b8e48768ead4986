// SPDX-License-Identifier: ISC
// How another thread ends the sleep of a loop. A count of rings, which both sides read and write in one total
// order (sequentially consistent), and a word that says how the owner listens and what it has heard.
//
// No ring is lost. The ringer adds to the count, then reads the word; the owner sets the word, then reads the
// count. In any total order one of them sees the other: either the owner sees the new count and does not
// sleep, or the ringer sees the word and makes the system call. Between the owner's last look at the count
// and its sleep the kernel looks again: a futex wait, by system call or in the ring, carries the count it is
// to sleep on and returns at once when that is no longer the count; an eventfd stays readable until it is
// drained. A futex wait still in the ring from an earlier sleep may carry an old count: it was accepted while
// the count was current, so it is queued in the kernel, and FUTEX_WAKE ends it whatever the count is now.
//
// One ringer a sleep makes the system call: the one that takes the word as it has read it. A ringer that was
// held up finds another word, because the owner has heard more by then, and leaves it alone: whoever listens
// again has seen its ring.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

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
        listening_.store(uint64_t{heard_} << 32 | static_cast<uint64_t>(ear), std::memory_order_seq_cst);
        if (count_.load(std::memory_order_seq_cst) == heard_) return true;
        stop_listening();
        return false;
    }
    void stop_listening() noexcept { listening_.store(not_listening, std::memory_order_relaxed); }

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
    static constexpr uint64_t not_listening = 0;
    static_assert(static_cast<uint64_t>(Ear::none) == not_listening);
    static Ear ear_of(uint64_t listening) noexcept { return static_cast<Ear>(listening & 3); }
    static bool has_heard(uint64_t listening, uint32_t ring) noexcept {
        return static_cast<int32_t>(ring - static_cast<uint32_t>(listening >> 32)) <= 0;
    }

    atomic<uint32_t> count_{0};
    atomic<uint64_t> listening_{not_listening};
    atomic<uint32_t> written_{0};
    uint32_t heard_ = 0;
    uint32_t drained_ = 0;
    int eventfd_ = -1;

    static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t)); // the kernel compares it
};

} // namespace xtc
