// SPDX-License-Identifier: ISC
#include "loop/await.hpp"

#include <new>

#include "base/assert.hpp"
#include "loop/loop.hpp"
#include "xtc.h"

namespace xtc {
namespace {

void answer(Awaiter& a, int status, intptr_t result) {
    a.status = status;
    a.result = result;
    a.cell.signal();
    a.drop();
}

// On the fiber's loop: take the result now, or leave the awaiter with the fiber.
void attach(Awaiter& a) {
    Loop& loop = *current_loop();
    Task* t = loop.tasks().find(a.task.slot());
    const bool valid = t != nullptr && t->live.load() && t->gen.load() == a.task.gen() && t->keep_result &&
                       t->awaiter == nullptr;
    if (!valid) return answer(a, XTC_E_INVAL, 0);
    if (t->now_in() != TaskState::finished) {
        t->awaiter = &a;
        return;
    }
    const intptr_t result = t->result;
    t->set_state(TaskState::free);
    loop.release(*t);
    answer(a, XTC_OK, result);
}

void attach_node(Loop&, InboxNode& node, bool drop) {
    auto& a = static_cast<Awaiter&>(node);
    if (drop) return answer(a, XTC_E_ABORTED, 0);
    attach(a);
}

// The fiber's loop is ours to run: nobody else does.
int drive(Loop& loop, Awaiter& a) {
    while (!a.cell.take_permit()) {
        if (loop.stop_requested() || (loop.live() == 0 && !loop.is_runnable())) return XTC_E_AGAIN;
        loop.turn(Loop::kRunsPerTurn, XTC_UNTIL_NEVER);
    }
    return XTC_OK;
}

int drive_until_done(Loop& loop, Awaiter& a) {
    if (loop.is_running()) return XTC_E_INVAL;
    if (int rc = loop.ensure_driver(); rc != XTC_OK) return rc;
    loop.begin_run();
    const int rc = drive(loop, a);
    loop.take_stop();
    loop.end_run();
    return rc;
}

// Gives the loop its half. *to_drive: the loop that we must run ourselves, if nobody does. The pin ends here,
// so that a loop may be freed while somebody waits: it answers then.
int leave_with_loop(Awaiter& a, Loop** to_drive) {
    LoopPin loop(a.task.loop());
    if (!loop) return XTC_E_INVAL;
    Task* t = loop->tasks().find(a.task.slot());
    if (t == nullptr || !t->live.load(std::memory_order_acquire) ||
        t->gen.load(std::memory_order_acquire) != a.task.gen())
        return XTC_E_INVAL; // never was, or used up
    if (current_loop() == nullptr && loop->exec() == nullptr) *to_drive = &*loop;
    if (current_loop() == &*loop)
        attach(a);
    else
        loop->post(a);
    return XTC_OK;
}

} // namespace

bool deliver_result(Task& t) {
    Awaiter* a = t.awaiter;
    if (a == nullptr) return false;
    t.awaiter = nullptr;
    if (a->gone.load(std::memory_order_acquire)) {
        a->drop();
        return false;
    }
    answer(*a, XTC_OK, t.result);
    return true;
}

void abort_awaiter(Task& t) {
    if (t.awaiter == nullptr) return;
    answer(*t.awaiter, XTC_E_ABORTED, 0);
    t.awaiter = nullptr;
}

int await_task(xtc_task_t* public_handle, intptr_t* result) {
    const Handle h = Handle::from(public_handle);
    if (!h.is(HandleKind::task)) return XTC_E_INVAL;
    Loop* here = current_loop();
    Task* self = current_fiber();
    if (here != nullptr && self == nullptr) return XTC_E_INVAL; // it would wait for its own turn to end
    if (self != nullptr && self->handle().bits == h.bits) return XTC_E_INVAL;
    auto* a = new (std::nothrow) Awaiter;
    if (a == nullptr) return XTC_E_NOMEM;
    a->task = h;
    a->run = attach_node;
    struct Mine {
        Awaiter& a;
        ~Mine() {
            a.gone.store(true, std::memory_order_release);
            a.drop();
        }
    } mine{*a};

    Loop* to_drive = nullptr;
    if (int rc = leave_with_loop(*a, &to_drive); rc != XTC_OK) {
        a->drop(); // the loop's reference
        return rc;
    }
    if (self != nullptr) {
        a->cell.wait(*self, XTC_UNTIL_NEVER, OnKill::unwind);
    } else if (to_drive != nullptr) {
        if (int rc = drive_until_done(*to_drive, *a); rc != XTC_OK) return rc;
    } else if (a->cell.wait_thread(XTC_UNTIL_NEVER) == Woke::killed) {
        return XTC_E_DEADLK;
    }
    if (a->status == XTC_OK && result != nullptr) *result = a->result;
    return a->status;
}

} // namespace xtc
