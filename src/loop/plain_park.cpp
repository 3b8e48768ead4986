// SPDX-License-Identifier: ISC
#include "loop/plain_park.hpp"

#include <cerrno>
#include <new>

#include "loop/io.hpp"
#include "loop/loop.hpp"
#include "loop/wait.hpp"
#include "xtc.h"

namespace xtc {
namespace {

struct ParkOp : xtc_op_t {
    Task* task = nullptr; // nullptr: the task went on
    Loop* loop = nullptr;
};

void done(xtc_op_t* op) {
    auto* p = static_cast<ParkOp*>(op);
    if (Task* t = p->task) {
        t->park_op = nullptr;
        t->loop->nudge(*t);
    }
    delete p;
}

} // namespace

int park_on_timer(Task& t, int64_t delay_ns) {
    if (delay_ns < 0 || t.timer.armed() || t.park_op != nullptr) return XTC_E_INVAL;
    if (!t.loop->reserve_timer()) return XTC_E_NOMEM;
    t.loop->arm_timer(t.timer, deadline_after(*t.loop, delay_ns));
    return XTC_OK;
}

int park_on_fd(Task& t, int fd, uint32_t interest) {
    if (t.timer.armed() || t.park_op != nullptr) return XTC_E_INVAL;
    uint32_t events;
    if (!poll_bits(interest, &events)) return XTC_E_INVAL;
    auto* op = new (std::nothrow) ParkOp{};
    if (op == nullptr) return XTC_E_NOMEM;
    op->kind = XTC_OP_POLL;
    op->fd = fd;
    op->events = events;
    op->done = done;
    op->task = &t;
    op->loop = t.loop;
    // A descriptor that cannot be waited on is known before the task parks.
    if (t.loop->try_op(*op) && op->res < 0) {
        const int rc = status_of_errno(static_cast<int>(-op->res));
        delete op;
        return rc;
    }
    t.park_op = op;
    t.loop->start_op(*op);
    return XTC_OK;
}

void detach_park_op(Task& t) {
    auto* op = static_cast<ParkOp*>(t.park_op);
    t.park_op = nullptr;
    op->task = nullptr;
    op->loop->cancel_op(*op);
}

} // namespace xtc
