// SPDX-License-Identifier: ISC
#include "loop/wake_cell.hpp"

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.hpp"
#include "loop/loop.hpp"

namespace xtc {
namespace {

thread_local bool tl_forbid_block = false;

void* futex_word(atomic<uint64_t>* word) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the futex is the low half");
    return word;
}

void futex_wait(atomic<uint64_t>* word, uint32_t seen, int64_t timeout_ns) {
    timespec ts{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    syscall(SYS_futex, futex_word(word), FUTEX_WAIT_PRIVATE, seen, timeout_ns == INT64_MAX ? nullptr : &ts,
            nullptr, 0);
}

} // namespace

void forbid_thread_block(bool on) {
    tl_forbid_block = on;
}

bool is_thread_block_forbidden() {
    return tl_forbid_block;
}

bool WakeCell::signal() {
    atomic<uint64_t>* word = &word_;
    const uint64_t old = word_.exchange(kPermit, std::memory_order_acq_rel);
    if (old <= kPermit) return false;
    if (old == kThread) {
        // The address may be gone by now; waking a futex nobody waits on does nothing.
        syscall(SYS_futex, futex_word(word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    } else {
        wake(WakeToken{old});
    }
    return true;
}

bool WakeCell::take_permit() {
    uint64_t permit = kPermit;
    return word_.compare_exchange_strong(permit, kEmpty, std::memory_order_acquire,
                                         std::memory_order_relaxed);
}

bool WakeCell::arm(WakeToken token) {
    uint64_t empty = kEmpty;
    return word_.compare_exchange_strong(empty, token.bits, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
}

void WakeCell::disarm(WakeToken token) {
    uint64_t mine = token.bits;
    word_.compare_exchange_strong(mine, kEmpty, std::memory_order_acq_rel, std::memory_order_acquire);
}

void WakeCell::forget_waiter() {
    uint64_t word = word_.load(std::memory_order_relaxed);
    if (word > kPermit) word_.compare_exchange_strong(word, kEmpty, std::memory_order_acq_rel);
}

namespace {

class Armed { // a kill leaves by unwinding
public:
    Armed(WakeCell& cell, WakeToken token) : cell_(cell), token_(token), armed_(cell.arm(token)) {}
    ~Armed() {
        if (armed_) cell_.disarm(token_);
    }
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;
    explicit operator bool() const { return armed_; }

private:
    WakeCell& cell_;
    WakeToken token_;
    bool armed_;
};

} // namespace

Woke WakeCell::wait(Task& task, int64_t deadline, OnKill on_kill, ParkReason why) {
    for (;;) {
        if (take_permit()) return Woke::event;
        if (deadline != XTC_UNTIL_NEVER && deadline <= task.loop->now()) return Woke::timeout;
        begin_sleep(task);
        Woke woke = Woke::event;
        if (Armed armed(*this, task.token()); armed) woke = park(task, deadline, on_kill, why);
        if (take_permit()) return Woke::event;
        if (woke != Woke::event) return woke;
    }
}

Woke wait_either(Task& task, WakeCell& a, WakeCell& b, int64_t deadline, OnKill on_kill, ParkReason why) {
    for (;;) {
        if (a.has_permit() || b.has_permit()) return Woke::event;
        begin_sleep(task);
        Woke woke = Woke::event;
        {
            Armed first(a, task.token());
            if (!first) continue;
            Armed second(b, task.token());
            if (!second) continue;
            woke = park(task, deadline, on_kill, why);
        }
        if (woke != Woke::event) return a.has_permit() || b.has_permit() ? Woke::event : woke;
    }
}

Woke WakeCell::wait_thread(int64_t deadline) {
    for (;;) {
        if (take_permit()) return Woke::event;
        const int64_t left = deadline == INT64_MAX ? INT64_MAX : deadline - clock_mono();
        if (left <= 0) return Woke::timeout;
        if (tl_forbid_block) return Woke::killed;
        uint64_t empty = kEmpty;
        if (!word_.compare_exchange_strong(empty, kThread, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
            continue;
        futex_wait(&word_, static_cast<uint32_t>(kThread), left);
        uint64_t mine = kThread;
        word_.compare_exchange_strong(mine, kEmpty, std::memory_order_acq_rel, std::memory_order_acquire);
    }
}

} // namespace xtc
