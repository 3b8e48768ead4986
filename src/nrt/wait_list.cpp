// SPDX-License-Identifier: ISC
#include "nrt/wait_list.hpp"

#include <xtc.h>
#include <xtc_future.h>

#include <optional>

#include "nrt/drop_scope.hpp"
#include "nrt/masked.hpp"

namespace xtc::nrt {

// On the waiter's stack while it is linked; whoever takes it out under the lock owns its promise.
struct WaitList::Waiter {
    WaitList& list;
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    Waiter* next = nullptr;
    bool is_in = false;

    ~Waiter() {
        if (is_in) leave(); // a kill unwinds it
    }
    void leave() noexcept {
        is_in = false;
        if (list.take_out(*this)) xtc_promise_drop(promise);
        xtc_future_discard(future);
    }
};

// Counted among those whom changed() looks for.
class WaitList::Counted {
public:
    explicit Counted(WaitList& list) noexcept : list_(list), dropped_(&Counted::end, this) {
        list_.waiting_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Counted() { end(this); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    static void end(void* self) noexcept {
        static_cast<Counted*>(self)->list_.waiting_.fetch_sub(1, std::memory_order_seq_cst);
    }
    WaitList& list_;
    DropScope dropped_;
};

int WaitList::wait_for(Holds holds, const void* condition, int64_t timeout_ns, OnKill on_kill) {
    std::optional<Masked> masked;
    if (on_kill == OnKill::wait_on) masked.emplace();
    const int rc = wait_counted(holds, condition, timeout_ns);
    if (masked) masked->leave();
    return rc;
}

int WaitList::wait_counted(Holds holds, const void* condition, int64_t timeout_ns) {
    const int64_t begin = xtc_clock_mono();
    const Counted counted(*this);
    int rc = XTC_OK;
    while (rc == XTC_OK && !holds(condition)) {
        int64_t left = -1;
        if (timeout_ns >= 0) {
            left = timeout_ns - (xtc_clock_mono() - begin);
            if (left <= 0) {
                rc = XTC_E_AGAIN;
                break;
            }
        }
        rc = wait_once(holds, condition, left);
    }
    return rc;
}

// Until a change, or until the time is over.
int WaitList::wait_once(Holds holds, const void* condition, int64_t timeout_ns) {
    Waiter waiter{*this};
    if (const int rc = xtc_future_new_pair(&waiter.promise, &waiter.future); rc != XTC_OK) return rc;
    const DropScope linked([](void* dropped) { static_cast<Waiter*>(dropped)->leave(); }, &waiter);
    {
        const std::lock_guard hold(lock_);
        waiter.next = first_;
        first_ = &waiter;
        waiter.is_in = true;
    }
    int rc = XTC_OK;
    if (!holds(condition)) {
        rc = xtc_future_wait(waiter.future, nullptr, timeout_ns);
        if (rc == XTC_OK) { // the waker took it out, and the future is used up
            waiter.is_in = false;
            return rc;
        }
    }
    waiter.leave();
    return rc == XTC_E_AGAIN ? XTC_OK : rc; // who asked looks at the clock
}

bool WaitList::take_out(Waiter& waiter) noexcept {
    const std::lock_guard hold(lock_);
    for (Waiter** at = &first_; *at != nullptr; at = &(*at)->next) {
        if (*at != &waiter) continue;
        *at = waiter.next;
        return true;
    }
    return false;
}

void WaitList::wake_all() noexcept {
    const std::lock_guard hold(lock_);
    while (Waiter* waiter = first_) {
        first_ = waiter->next;
        // Its stack may be gone once it is set; under the lock, so that take_out() can not return before.
        xtc_promise_set(waiter->promise, 0, XTC_OK);
    }
}

} // namespace xtc::nrt
