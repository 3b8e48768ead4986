// SPDX-License-Identifier: ISC
#include "batch/drain_for.hpp"

#include "batch/engine.hpp"
#include "loop/process.hpp"

namespace xtc {

namespace {

class Enlisted : public DrainWaiter {
public:
    explicit Enlisted(Group& group) : group_(group) {
        next = group.drain_waiters;
        group.drain_waiters = this;
    }
    // A permit means that the driver took us off the list; the group may be gone.
    ~Enlisted() {
        if (gone.has_permit()) return;
        DrainWaiter** link = &group_.drain_waiters;
        while (*link != this) link = &(*link)->next;
        *link = next;
    }
    Enlisted(const Enlisted&) = delete;
    Enlisted& operator=(const Enlisted&) = delete;

private:
    Group& group_;
};

constexpr int64_t kLookAgain = 1'000'000;

} // namespace

void drain_for(Group& group, Task& self, int64_t timeout_ns) {
    const xtc_pid_t driver = group.driver;
    const int64_t deadline = deadline_after(*self.loop, timeout_ns);
    close_group(group, XTC_BATCH_DRAIN);
    if (!group.finished) {
        Enlisted waiter(group);
        WakeCell never;
        if (wait_either(self, waiter.gone, never, deadline, OnKill::unwind) == Woke::timeout) {
            close_group(group, XTC_BATCH_CANCEL);
            wait_either(self, waiter.gone, never, XTC_UNTIL_NEVER, OnKill::unwind);
        }
    }
    // The driver's own part is over; hooks that the application registered from a callback may still park.
    while (ProcRef(driver)) {
        begin_sleep(self);
        park(self, deadline_after(*self.loop, kLookAgain), OnKill::unwind, ParkReason::timer);
    }
}

} // namespace xtc
