// SPDX-License-Identifier: ISC
#include <mutex>
#include <new>

#include "base/assert.hpp"
#include "loop/local.hpp"
#include "loop/loop.hpp"
#include "loop/wake_cell.hpp"
#include "xtc_sync.h"

namespace xtc {
namespace {

// On the waiter's stack, linked under the notify's lock. Signalled under the lock too: the waiter takes it
// before it leaves, so its cell is still there.
struct Waiter {
    WakeCell cell;
    bool granted = false;
    Waiter* prev = nullptr;
    Waiter* next = nullptr;
};

} // namespace
} // namespace xtc

using namespace xtc;

struct xtc_notify {
    std::mutex lock;
    bool permit = false;
    Waiter* head = nullptr;
    Waiter* tail = nullptr;

    void signal() {
        std::lock_guard hold(lock);
        grant();
    }

    // False: a permit was there and is taken.
    bool join(Waiter& w) {
        std::lock_guard hold(lock);
        if (permit) {
            permit = false;
            return false;
        }
        w.prev = tail;
        (tail == nullptr ? head : tail->next) = &w;
        tail = &w;
        return true;
    }

    // True: it had been given the permit. A permit that its waiter will not use goes to the next.
    bool leave(Waiter& w, bool uses_permit) {
        std::lock_guard hold(lock);
        if (!w.granted)
            unlink(w);
        else if (!uses_permit)
            grant();
        return w.granted;
    }

private:
    void grant() {
        if (head == nullptr) {
            permit = true;
            return;
        }
        Waiter& w = *head;
        unlink(w);
        w.granted = true;
        w.cell.signal();
    }

    void unlink(Waiter& w) {
        (w.prev == nullptr ? head : w.prev->next) = w.next;
        (w.next == nullptr ? tail : w.next->prev) = w.prev;
    }
};

namespace {

struct Membership { // on a fiber: a kill unwinds it, the loop's end drops it
    xtc_notify& notify;
    Waiter& waiter;
    bool uses_permit = false;
    bool left = false;

    bool leave() {
        left = true;
        return notify.leave(waiter, uses_permit);
    }
    ~Membership() {
        if (!left) leave();
    }
    static void dropped(void* p) { static_cast<Membership*>(p)->leave(); }
};

int wait_on_fiber(xtc_notify& n, Task& self, int64_t timeout_ns) {
    Waiter w;
    if (!n.join(w)) return XTC_OK;
    Membership member{n, w};
    DropGuard guard(self, Membership::dropped, &member);
    w.cell.wait(self, deadline_after(*self.loop, timeout_ns), OnKill::unwind);
    member.uses_permit = true;
    return member.leave() ? XTC_OK : XTC_E_AGAIN;
}

int wait_on_thread(xtc_notify& n, int64_t timeout_ns) {
    Waiter w;
    if (!n.join(w)) return XTC_OK;
    int64_t deadline = INT64_MAX;
    if (timeout_ns >= 0 && __builtin_add_overflow(xtc_clock_mono(), timeout_ns, &deadline))
        deadline = INT64_MAX;
    const Woke woke = w.cell.wait_thread(deadline);
    if (n.leave(w, true)) return XTC_OK;
    return woke == Woke::killed ? XTC_E_DEADLK : XTC_E_AGAIN;
}

} // namespace

int xtc_notify_create(xtc_notify_t** out) {
    if (out == nullptr) return XTC_E_INVAL;
    auto* n = new (std::nothrow) xtc_notify;
    if (n == nullptr) return XTC_E_NOMEM;
    *out = n;
    return XTC_OK;
}

void xtc_notify_destroy(xtc_notify_t* notify) {
    delete notify;
}

int xtc_notify_signal(xtc_notify_t* notify) {
    if (notify == nullptr) return XTC_E_INVAL;
    notify->signal();
    return XTC_OK;
}

int xtc_notify_wait(xtc_notify_t* notify, int64_t timeout_ns) {
    if (notify == nullptr) return XTC_E_INVAL;
    if (current_loop() == nullptr) return wait_on_thread(*notify, timeout_ns);
    Task* self = current_fiber();
    if (self == nullptr) return XTC_E_INVAL;
    return wait_on_fiber(*notify, *self, timeout_ns);
}
