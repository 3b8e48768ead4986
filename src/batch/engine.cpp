// SPDX-License-Identifier: ISC
#include "batch/engine.hpp"

#include "batch/boundary.hpp"
#include "batch/complete.hpp"
#include "batch/operation.hpp"
#include "batch/step.hpp"
#include "loop/process.hpp"

#include <new>

namespace xtc {

void close_group(Group& group, int mode) {
    group.closing.advance(mode);
    if (group.handin != nullptr) group.handin->ring.close();
    group.boundary.signal();
}

void begin_exit(Group& group) {
    group.exiting = true;
    group.closing.advance(XTC_BATCH_DRAIN);
    if (group.handin != nullptr) group.handin->ring.close();
}

bool is_driver(const Group& group, const Task& task) {
    return xtc_pid_eq(group.driver, task.pid()) != 0;
}

bool is_driver_gone(const Group& group) {
    return !ProcRef(group.driver);
}

namespace {

// Everything has ended and nothing more can come.
bool may_finish(Group& group) {
    return group.closing.is_closed() && group.members.empty() &&
           (group.handin == nullptr || group.handin->ring.try_finish());
}

// The whole life of a group. A kill is seen between iterations and while waiting, nowhere else.
void drive(Group& group, Task& driver) {
    for (;;) {
        pass_boundary(group);
        if (driver.kill_asked()) return;
        if (!group.members.ready.empty()) {
            if (group.is_async())
                run_operation(group, driver);
            else
                run_step(group);
            if (group.exiting) return;
            yield_fiber(driver);
            continue;
        }
        if (may_finish(group)) return;
        if (group.boundary.take_permit()) {
            yield_fiber(driver); // a stream of hand-ins must not keep the loop from its turn
            continue;
        }
        if (group.boundary.wait(driver, XTC_UNTIL_NEVER, OnKill::report) == Woke::killed) return;
    }
}

void finish_abandoned(Group& group, MemberList& list) {
    while (Member* m = list.front()) settle_fate(group, *m, fate_of_abandoned(*m));
}

// What is left of a group whose driver was killed or left from inside a callback ends here: recorded ends are
// delivered as they are, the rest fails.
void end_all(Group& group, Task& driver) {
    if (group.op == Group::Op::outstanding) abandon_operation(group);
    take_in(group); // a cancel that was accepted counts, for a member of the vector too
    for (size_t i = 0; i < group.vector.size(); ++i) {
        Member& m = group.vector.member(i);
        if (m.state == MemberState::stepping) settle_fate(group, m, fate_of_abandoned(m));
    }
    group.vector.clear();
    for (;;) {
        const bool took_all = take_in(group);
        Members& members = group.members;
        for (MemberList* list :
             {&members.ready, &members.blocked, &members.waiting, &members.held, &members.doomed})
            finish_abandoned(group, *list);
        deliver_finished(group);
        if (may_finish(group)) return;
        // A producer is between its place on the ring and its entry.
        if (!took_all) group.boundary.wait(driver, XTC_UNTIL_NEVER, OnKill::ignore);
    }
}

// However the driver leaves, the group is closed from then on: hooks of the application may park before ours
// runs.
class Closed {
public:
    explicit Closed(Group& group) : group_(group) {}
    ~Closed() { begin_exit(group_); }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

private:
    Group& group_;
};

void run_driver(void* arg) {
    Group& group = *static_cast<Group*>(arg);
    Task& driver = *current_fiber();
    Closed at_the_end(group);
    KillMask mask(driver);
    drive(group, driver);
    if (driver.kill_asked()) driver.result = driver.kill_reason();
}

// The exit hook: the last thing on the driver, however it ended.
void leave_driver(void* arg) {
    Group& group = *static_cast<Group*>(arg);
    if (!may_finish(group)) {
        begin_exit(group);
        end_all(group, *current_fiber());
    }
    group.finished = true;
    for (DrainWaiter* w = group.drain_waiters; w != nullptr;) {
        DrainWaiter* next = w->next;
        w->gone.signal();
        w = next;
    }
    group.drain_waiters = nullptr;
}

} // namespace

// Made on the loop itself, which does not run yet: its stack is there before anybody hears of the group, and
// the hook runs even if it is killed before its first turn.
int spawn_driver(Group& group) {
    std::unique_ptr<ExitHooks> hooks(new (std::nothrow) ExitHooks);
    if (hooks == nullptr) return XTC_E_NOMEM;
    hooks->count = 1;
    hooks->hooks[0] = {leave_driver, &group};

    xtc_proc_opts_t opts = {};
    opts.name = "xtc-batch";
    opts.sched_class = group.sched_class;
    SpawnSpec spec;
    spec.kind = TaskKind::proc;
    spec.proc = run_driver;
    spec.arg = &group;
    spec.opts = &opts;

    Loop* const before = current_loop();
    set_current_loop(group.loop);
    const int rc = group.loop->spawn(spec, nullptr, &group.driver);
    set_current_loop(before);
    if (rc != XTC_OK) return rc;
    ProcRef(group.driver)->exit_hooks = hooks.release();
    return XTC_OK;
}

} // namespace xtc
