// SPDX-License-Identifier: ISC
#include "batch/operation.hpp"

#include "batch/boundary.hpp"
#include "batch/engine.hpp"
#include "batch/step.hpp"
#include "batch/token.hpp"
#include "loop/process.hpp"

namespace xtc {

namespace {

// Tells the application that members in flight were cancelled, each once; `all` of them when the operation is
// about to be abandoned.
void give_hints(Group& group, bool all) {
    if (group.callbacks.cancel_hint == nullptr) return;
    for (size_t i = 0; i < group.vector.size(); ++i) {
        Member& m = group.vector.member(i);
        if (m.hinted || (!m.cancelled && !all)) continue;
        m.hinted = true;
        CallbackScope in_flight(group);
        group.callbacks.cancel_hint(m.handle, m.request, group.callbacks.user);
    }
}

// Something came while the operation is outstanding: members in flight stay, the others need not wait.
void pass_while_awaiting(Group& group) {
    take_in(group);
    give_hints(group, false);
    carry_out_cancels(group);
    XTC_DASSERT(group.members.check());
}

int await_token(Group& group, Token& token, Task& driver) {
    const int64_t timeout = group.limits.exec_timeout_ns;
    const bool is_bounded = timeout > 0 && token.can_be_left();
    const int64_t deadline = is_bounded ? deadline_after(*group.loop, timeout) : XTC_UNTIL_NEVER;
    for (;;) {
        switch (token.wait(group.boundary, deadline, group.exiting ? OnKill::ignore : OnKill::report)) {
        case Token::Event::fired: {
            const int status = token.status();
            return group.exiting ? static_cast<int>(XTC_BATCH_EXEC_ABORTED) : status;
        }
        case Token::Event::timeout:
            token.leave();
            return XTC_BATCH_EXEC_TIMEOUT;
        case Token::Event::killed:
            begin_exit(group);
            give_hints(group, true);
            break;
        case Token::Event::boundary:
            pass_while_awaiting(group);
            yield_fiber(driver); // hand-ins that keep coming must not keep the loop from its turn
            break;
        }
        if ((group.exiting || group.closing.is_cancelled()) && token.can_be_left()) {
            if (token.has_fired() && !group.exiting) continue;
            token.leave();
            return XTC_BATCH_EXEC_ABORTED;
        }
    }
}

// A hint that ends the driver closes the group at once, though a closure may keep its stack for a while.
class ClosedOnTheWayOut {
public:
    ClosedOnTheWayOut(Group& group, Task& driver) : group_(group), driver_(driver) {}
    ~ClosedOnTheWayOut() {
        if (driver_.unwinding) begin_exit(group_);
    }
    ClosedOnTheWayOut(const ClosedOnTheWayOut&) = delete;
    ClosedOnTheWayOut& operator=(const ClosedOnTheWayOut&) = delete;

private:
    Group& group_;
    Task& driver_;
};

int await_operation(Group& group, const xtc_batch_exec_t& exec, Task& driver) {
    if (exec.kind == XTC_BATCH_EXEC_SYNC) return XTC_BATCH_EXEC_OK;
    Token token(driver);
    const ClosedOnTheWayOut closed(group, driver);
    const bool is_known = exec.kind == XTC_BATCH_EXEC_FENCE || exec.kind == XTC_BATCH_EXEC_FUTURE ||
                          exec.kind == XTC_BATCH_EXEC_BLOCKING;
    if (is_known) add_saturating(group.stats.offloads, 1);
    int status = token.begin(exec);
    if (status == XTC_OK) status = await_token(group, token, driver);
    if (status < 0) add_saturating(group.stats.offload_errors, 1);
    if (status == XTC_BATCH_EXEC_TIMEOUT) add_saturating(group.stats.offload_timeouts, 1);
    return status;
}

void collect(Group& group, int status) {
    group.op = Group::Op::collecting;
    // The last moment at which a cancel still counts for this operation.
    take_in(group);
    group.vector.reset_results();
    const Callbacks& call = group.callbacks;
    int rc;
    {
        CallbackScope in_flight(group);
        rc = call.collect(group.vector.items(), group.vector.results(), group.vector.size(), status,
                          call.user);
    }
    group.op = Group::Op::none;
    record_results(group, {rc, status});
}

} // namespace

void run_operation(Group& group, Task& driver) {
    fill_vector(group);
    const Callbacks& call = group.callbacks;
    xtc_batch_exec_t exec = {};
    exec.fence_fd = -1;
    int rc;
    {
        CallbackScope in_flight(group);
        rc = call.submit(group.vector.items(), group.vector.size(), call.user, &exec);
    }
    if (rc != XTC_OK) return record_results(group, {rc, XTC_BATCH_EXEC_OK});
    group.op = Group::Op::outstanding;
    collect(group, await_operation(group, exec, driver));
}

void abandon_operation(Group& group) {
    give_hints(group, true);
    collect(group, XTC_BATCH_EXEC_ABORTED);
}

} // namespace xtc
