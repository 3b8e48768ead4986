// SPDX-License-Identifier: ISC
// One stored permit and one waiter. Any thread signals, lock-free; signals collapse.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "loop/wait.hpp"

namespace xtc {

class WakeCell {
public:
    // Touches the cell with one exchange and never again, so the waiter may destroy it as soon as it has the
    // permit. True if somebody was waiting.
    bool signal();
    bool has_permit() const { return word_.load(std::memory_order_acquire) == kPermit; }
    bool take_permit(); // without waiting

    // On the fiber. Woke::event: the permit was taken.
    Woke wait(Task& task, int64_t deadline, OnKill on_kill, ParkReason why = ParkReason::other);

    // For waits on several things: leave a token here (false: a permit is there), take it back.
    bool arm(WakeToken token);
    void disarm(WakeToken token);
    void forget_waiter(); // whoever it was is gone

    // A plain thread blocks. Woke::event took the permit. Woke::killed: forbidden here (simulation).
    Woke wait_thread(int64_t deadline_mono);

private:
    static constexpr uint64_t kEmpty = 0;
    static constexpr uint64_t kPermit = 1;
    static constexpr uint64_t kThread = 2; // a thread sleeps on the low half; tokens are larger
    atomic<uint64_t> word_{kEmpty};
};

// Until one of them has a permit; takes none.
Woke wait_either(Task& task, WakeCell& a, WakeCell& b, int64_t deadline, OnKill on_kill,
                 ParkReason why = ParkReason::other);

// On this thread a wait that would block the thread answers Woke::killed (S3).
void forbid_thread_block(bool on);
bool is_thread_block_forbidden();

} // namespace xtc
