// SPDX-License-Identifier: ISC
#include "loop/io.hpp"

#include <cerrno>
#include <new>

#include <poll.h>
#include <unistd.h>

#include "loop/fd_claims.hpp"
#include "loop/loop.hpp"
#include "loop/registry.hpp"
#include "loop/token.hpp"
#include "xtc.h"
#include "xtc_io.h"

namespace xtc {

bool poll_bits(uint32_t interest, uint32_t* events) {
    if (interest == 0 || (interest & ~(XTC_IO_READABLE | XTC_IO_WRITABLE | XTC_IO_HUP | XTC_IO_ERR)) != 0)
        return false;
    *events = 0;
    if (interest & XTC_IO_READABLE) *events |= POLLIN;
    if (interest & XTC_IO_WRITABLE) *events |= POLLOUT;
    if (interest & XTC_IO_HUP) *events |= POLLRDHUP;
    return true;
}

uint32_t interest_bits(uint32_t events) {
    uint32_t bits = 0;
    if (events & POLLIN) bits |= XTC_IO_READABLE;
    if (events & POLLOUT) bits |= XTC_IO_WRITABLE;
    if (events & (POLLHUP | POLLRDHUP)) bits |= XTC_IO_HUP;
    if (events & (POLLERR | POLLNVAL)) bits |= XTC_IO_ERR;
    return bits;
}

int status_of_errno(int err) {
    switch (err) {
    case 0:
        return XTC_OK;
    case EBADF:
    case EBUSY:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
    case EPERM:
        return XTC_E_INVAL;
    case ENOMEM:
        return XTC_E_NOMEM;
    case ENOSYS:
        return XTC_E_NOSYS;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOSPC:
        return XTC_E_RESOURCE;
    case ECONNABORTED:
    case ECANCELED:
        return XTC_E_ABORTED;
    case EAGAIN:
        return XTC_E_AGAIN;
    default:
        return XTC_E_IO;
    }
}

int status_of_fence(int64_t res) {
    if (res < 0) return status_of_errno(static_cast<int>(-res));
    return (res & POLLIN) != 0 && (res & (POLLERR | POLLNVAL)) == 0 ? XTC_OK : XTC_E_INVAL;
}

namespace {

// An operation that a fiber waits for; lives on its stack.
struct FiberOp {
    Task& task;
    xtc_op_t& op;

    static void done(xtc_op_t* op) {
        Task& t = *static_cast<Task*>(op->owner);
        t.loop->wake_task(t, t.epoch);
    }

    // Nobody may write to op, nor to its buffer, once we leave: cancel and wait for the answer.
    ~FiberOp() {
        while (op.state == XTC_OP_IN_FLIGHT) {
            task.loop->cancel_op(op);
            begin_sleep(task);
            park(task, XTC_UNTIL_NEVER, OnKill::ignore, ParkReason::fd);
        }
        // A connection that came in while we were killed belongs to nobody.
        if (task.unwinding && op.kind == XTC_OP_ACCEPT && op.res >= 0 && op.state == XTC_OP_DONE)
            ::close(static_cast<int>(op.res));
    }
};

class MailWakes {
public:
    MailWakes(Task& t, bool on) : task_(t) { task_.mail_wakes = on; }
    ~MailWakes() { task_.mail_wakes = false; }
    MailWakes(const MailWakes&) = delete;
    MailWakes& operator=(const MailWakes&) = delete;

private:
    Task& task_;
};

class Armed {
public:
    Armed(WakeCell* cell, WakeToken token) : cell_(cell), token_(token) {}
    ~Armed() {
        if (cell_ != nullptr) cell_->disarm(token_);
    }
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;

private:
    WakeCell* cell_;
    WakeToken token_;
};

// The wait proper: until op is done or something else ends it.
IoEnd wait_for(Task& self, xtc_op_t& op, int64_t deadline, const IoWait& how) {
    MailWakes mail(self, how.mail_ends);
    for (;;) {
        begin_sleep(self);
        if (op.state == XTC_OP_DONE) return IoEnd::done;
        if (how.mail_ends && (self.mail_head != nullptr || self.nudged)) return IoEnd::other;
        const WakeToken token = self.token();
        if (how.also != nullptr && !how.also->arm(token)) return IoEnd::other;
        Woke woke;
        {
            Armed armed(how.also, token);
            woke = park(self, deadline, how.on_kill, ParkReason::fd);
        }
        if (op.state == XTC_OP_DONE) return IoEnd::done;
        if (woke == Woke::killed) return IoEnd::killed;
        if (woke == Woke::timeout) return IoEnd::timeout;
    }
}

} // namespace

IoEnd run_op(Task& self, xtc_op_t& op, int64_t deadline, const IoWait& how) {
    Loop& loop = *self.loop;
    if (self.kill_due() && how.on_kill == OnKill::unwind) { // a kill beats an operation that never waits
        begin_sleep(self);
        park(self, deadline, OnKill::unwind);
    }
    if (how.also != nullptr && how.also->has_permit()) return IoEnd::other;
    const bool polls = deadline != XTC_UNTIL_NEVER && deadline <= loop.now();
    if (op.kind != XTC_OP_CONNECT && (how.tries_first || polls) && loop.try_op(op)) {
        op.state = XTC_OP_DONE;
        return IoEnd::done;
    }
    if (polls)
        return how.mail_ends && (self.mail_head != nullptr || self.nudged) ? IoEnd::other : IoEnd::timeout;
    op.owner = &self;
    op.done = FiberOp::done;
    op.claims = how.claims;
    if (!loop.start_op(op)) {
        op.res = -EBUSY;
        op.state = XTC_OP_DONE;
        return IoEnd::done;
    }
    IoEnd end;
    {
        FiberOp in_flight{self, op};
        end = wait_for(self, op, deadline, how);
    }
    // Too late to cancel: what it did counts.
    if (end != IoEnd::done && op.res != -ECANCELED) end = IoEnd::done;
    return end;
}

namespace {

// Goes from loop to loop; the last one closes.
struct CloseNode : InboxNode {
    int fd = -1;
    uint32_t asked = 0; // of several that watch: all up to this number

    static void arrive(Loop& loop, InboxNode& node, bool drop);
};

bool send_to(uint32_t index, CloseNode* node, int fd, Loop* here) {
    LoopPin other(index);
    if (!other) return false;
    if (node == nullptr) node = new (std::nothrow) CloseNode;
    if (node == nullptr) return false;
    if (here != nullptr) here->driver_table()->abort_fd(here->driver_self(), fd);
    node->fd = fd;
    node->run = CloseNode::arrive;
    if (fd_claims::is_watched_by_several(fd)) node->asked = index;
    other->post(*node);
    return true;
}

// Ends the waits of this loop and sends the node to the next one; false: there is none.
bool send_on(CloseNode* node, int fd, Loop* here) {
    const uint32_t own = here != nullptr ? here->index() : 0;
    if (!fd_claims::is_watched_by_several(fd)) return send_to(fd_claims::holder(fd, own), node, fd, here);
    for (uint32_t i = (node != nullptr ? node->asked : 0) + 1; i < kMaxLoops; ++i)
        if (i != own && send_to(i, node, fd, here)) return true;
    return false;
}

void close_here(int fd, Loop* here) {
    if (here != nullptr)
        here->driver_table()->close_fd(here->driver_self(), fd);
    else
        ::close(fd);
}

void CloseNode::arrive(Loop& loop, InboxNode& node, bool drop) {
    auto* self = static_cast<CloseNode*>(&node);
    const int fd = self->fd;
    if (!drop && send_on(self, fd, &loop)) return;
    delete self;
    close_here(fd, drop ? nullptr : &loop);
}

} // namespace

void close_everywhere(int fd) {
    Loop* here = current_loop();
    if (!send_on(nullptr, fd, here)) close_here(fd, here);
}

IoEnd wait_readable(Task& self, int fd, int64_t deadline, const IoWait& how, int* status) {
    xtc_op_t op{};
    op.kind = XTC_OP_POLL;
    op.fd = fd;
    op.events = POLLIN;
    const IoEnd end = run_op(self, op, deadline, how);
    if (end == IoEnd::done) *status = status_of_fence(op.res);
    return end;
}

} // namespace xtc
