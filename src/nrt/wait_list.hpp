// SPDX-License-Identifier: ISC
// Waiting for a condition that other threads bring about: a fiber parks, a plain thread blocks. Nothing but
// one load is paid for it as long as nobody waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

struct xtc_promise;

namespace xtc::nrt {

class WaitList {
public:
    // XTC_OK once holds() was true. XTC_E_AGAIN: the time is over. Otherwise nothing could be waited on:
    // XTC_E_INVAL on a loop's thread outside a fiber, XTC_E_DEADLK where a thread may not block, XTC_E_NOMEM.
    // holds() reads with sequential consistency what was so written before changed(). A kill is
    // delivered when the wait is over (L8), or ends it: for waits in which nobody uses the caller's memory.
    enum class OnKill { wait_on, leave };
    template <class Condition>
    int wait(const Condition& holds, int64_t timeout_ns = -1, OnKill on_kill = OnKill::wait_on) {
        return holds() ? 0 : wait_for(&ask<Condition>, &holds, timeout_ns, on_kill);
    }

    // After each change that may make somebody's condition true. Any thread.
    void changed() noexcept {
        if (waiting_.load(std::memory_order_seq_cst) != 0) wake_all();
    }

private:
    struct Waiter;
    class Counted;
    using Holds = bool (*)(const void* condition);

    template <class Condition> static bool ask(const void* condition) {
        return (*static_cast<const Condition*>(condition))();
    }
    int wait_for(Holds holds, const void* condition, int64_t timeout_ns, OnKill on_kill);
    int wait_counted(Holds holds, const void* condition, int64_t timeout_ns);
    int wait_once(Holds holds, const void* condition, int64_t timeout_ns);
    void wake_all() noexcept;
    bool take_out(Waiter& waiter) noexcept;

    std::atomic<uint32_t> waiting_{0};
    std::mutex lock_;
    Waiter* first_ = nullptr;
};

} // namespace xtc::nrt
