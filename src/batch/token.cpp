// SPDX-License-Identifier: ISC
#include "batch/token.hpp"

#include "base/assert.hpp"
#include "loop/fd_claims.hpp"
#include "loop/io.hpp"
#include "loop/loop.hpp"

#include <poll.h>

#include <cerrno>

namespace xtc {

int Token::begin(const xtc_batch_exec_t& exec) {
    switch (exec.kind) {
    case XTC_BATCH_EXEC_FENCE:
        if (const int rc = begin_fence(exec.fence_fd); rc != XTC_OK) return rc;
        break;
    case XTC_BATCH_EXEC_FUTURE:
        if (exec.future == nullptr) return XTC_E_INVAL;
        future_ = reinterpret_cast<FutureCell*>(exec.future);
        break;
    case XTC_BATCH_EXEC_BLOCKING:
        if (exec.run == nullptr) return XTC_E_INVAL;
        call_.emplace(driver_, exec.run, exec.arg);
        if (const int rc = call_->start(); rc != XTC_OK) {
            call_.reset();
            return rc;
        }
        break;
    default:
        return XTC_E_INVAL;
    }
    kind_ = exec.kind;
    return XTC_OK;
}

// The poll stays armed however often something else wakes the driver meanwhile.
int Token::begin_fence([[maybe_unused]] int fd) {
#ifdef XTC_NO_ACCEL
    return XTC_E_NOSYS;
#else
    if (fd < 0) return XTC_E_INVAL;
    fence_.kind = XTC_OP_POLL;
    fence_.fd = fd;
    fence_.events = POLLIN;
    fence_.claims = fd_claims::kWatches;
    fence_.owner = this;
    fence_.done = fence_done;
    driver_.loop->start_op(fence_);
    return XTC_OK;
#endif
}

void Token::fence_done(xtc_op_t* op) {
    static_cast<Token*>(op->owner)->fence_fired_.signal();
}

WakeCell& Token::fired() {
    switch (kind_) {
    case XTC_BATCH_EXEC_FENCE:
        return fence_fired_;
    case XTC_BATCH_EXEC_FUTURE:
        return future_->cell();
    case XTC_BATCH_EXEC_BLOCKING:
        return call_->cell();
    default:
        XTC_UNREACHABLE();
    }
}

Token::Event Token::wait(WakeCell& boundary, int64_t deadline, OnKill on_kill) {
    WakeCell& cell = fired();
    if (cell.has_permit()) return Event::fired;
    // Looked at before the boundary: a stream of hand-ins must not put the end off.
    if (deadline != XTC_UNTIL_NEVER && driver_.loop->now() >= deadline) return Event::timeout;
    if (on_kill == OnKill::report && driver_.kill_asked() && !driver_.in_exit) return Event::killed;
    if (boundary.take_permit()) return Event::boundary;
    const Woke woke = wait_either(driver_, cell, boundary, deadline, on_kill, ParkReason::other);
    if (cell.has_permit()) return Event::fired;
    if (woke == Woke::killed) return Event::killed;
    if (woke == Woke::timeout) return Event::timeout;
    boundary.take_permit();
    return Event::boundary;
}

int Token::status() {
    const int kind = kind_;
    kind_ = 0;
    switch (kind) {
    case XTC_BATCH_EXEC_FENCE:
        static_assert(static_cast<int>(XTC_BATCH_EXEC_OK) == XTC_OK);
        return status_of_fence(fence_.res);
    case XTC_BATCH_EXEC_FUTURE: {
        int status = XTC_OK;
        future_->take(nullptr, &status);
        future_ = nullptr;
        return status <= 0 ? status : static_cast<int>(XTC_E_INTERNAL);
    }
    case XTC_BATCH_EXEC_BLOCKING:
        call_.reset();
        return XTC_BATCH_EXEC_OK;
    default:
        XTC_UNREACHABLE();
    }
}

void Token::leave() {
    const int kind = kind_;
    kind_ = 0;
    switch (kind) {
    case XTC_BATCH_EXEC_FENCE:
        if (!fence_fired_.has_permit()) driver_.loop->cancel_op(fence_);
        fence_fired_.wait(driver_, XTC_UNTIL_NEVER, OnKill::ignore, ParkReason::fd);
        return;
    case XTC_BATCH_EXEC_FUTURE:
        future_->discard();
        future_ = nullptr;
        return;
    default:
        call_.reset(); // waits for the closure
        return;
    }
}

} // namespace xtc
