// SPDX-License-Identifier: ISC
#include "sim_driver.hpp"

#include <cerrno>

#include "base/assert.hpp"

namespace xtc::sim {

const xtc_seam_driver_t SimDriver::table = {
    .size = sizeof(xtc_seam_driver_t),
    .name = "sim",
    .now = [](void* self) { return of(self).timeline_.now(); },
    .try_op = [](void* self, xtc_op_t* op) { return of(self).try_op(*op); },
    .submit = [](void* self, xtc_op_t* op) { of(self).submit(*op); },
    .cancel = [](void* self, xtc_op_t* op) { of(self).cancel(*op); },
    .wait = [](void* self, int64_t until) { return of(self).wait(until); },
    .wake = [](void* self) { of(self).wake(); },
    .abort_fd = [](void* self, int fd) { of(self).fds_.abort(fd); },
    .close_fd = [](void* self, int fd) { of(self).close_fd(fd); },
    .suspend = [](void*) {}, // no kernel holds anything
    .pollfd = [](void*) { return -1; },
    .destroy = [](void*) {}, // the world's
};

SimDriver::SimDriver(uint32_t loop, Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs,
                     VirtualFds& fds) noexcept
    : loop_(loop), timeline_(timeline), streams_(streams), trace_(trace), knobs_(knobs), fds_(fds) {}

int SimDriver::try_op(xtc_op_t& op) {
    const auto fd = fds_.find(op.fd);
    if (!fd) {
        op.res = -EINVAL;
        return 1;
    }
    if (streams_[Stream::io].chance(knobs_.not_yet)) return 0;
    const auto res = fds_.attempt(fd, op);
    if (!res) return 0;
    op.res = *res;
    trace_.note(timeline_.now(), loop_, static_cast<uint32_t>(Mark::fd_done), fd->ordinal,
                static_cast<uint64_t>(*res));
    return 1;
}

void SimDriver::submit(xtc_op_t& op) {
    in_flight_++;
    const auto fd = fds_.find(op.fd);
    if (!fd) {
        arrived(op, -EINVAL);
        return;
    }
    waiting_.emplace(&op, fd);
    if (const auto res = fds_.attempt(fd, op)) {
        arrived(op, *res);
    } else {
        fds_.wait(*fd, op, *this);
    }
}

void SimDriver::cancel(xtc_op_t& op) {
    const auto found = waiting_.find(&op);
    if (found == waiting_.end()) return; // its own result was faster
    const bool waited = fds_.forget(*found->second, op);
    XTC_ASSERT(waited);
    arrived(op, -ECANCELED);
}

void SimDriver::arrived(xtc_op_t& op, int64_t res) {
    if (const auto found = waiting_.find(&op); found != waiting_.end()) {
        trace_.note(timeline_.now(), loop_, static_cast<uint32_t>(Mark::fd_done), found->second->ordinal,
                    static_cast<uint64_t>(res));
        waiting_.erase(found);
    }
    const int64_t latency = streams_[Stream::io].magnitude(knobs_.io_latency.lo, knobs_.io_latency.hi);
    if (latency == 0) {
        finish(op, res);
    } else {
        timeline_.at(timeline_.now() + latency, [this, &op, res] { finish(op, res); });
    }
}

void SimDriver::finish(xtc_op_t& op, int64_t res) {
    op.res = res;
    op.next = nullptr;
    (done_tail_ != nullptr ? done_tail_->next : done_head_) = &op;
    done_tail_ = &op;
}

xtc_op_t* SimDriver::take_done() {
    xtc_op_t* const first = done_head_;
    xtc_op_t* last = first;
    for (xtc_op_t* op = first; op != nullptr; op = op->next) {
        last = op;
        in_flight_--;
        if (streams_[Stream::io].chance(knobs_.hold_back)) break;
    }
    if (last == nullptr) return nullptr;
    done_head_ = last->next;
    if (done_head_ == nullptr) done_tail_ = nullptr;
    last->next = nullptr;
    return first;
}

xtc_op_t* SimDriver::wait(int64_t until) {
    if (!is_paced_) pass_time(until);
    woken_ = false;
    return take_done();
}

void SimDriver::pass_time(int64_t until) {
    timeline_.run_due();
    // Somebody who only polls until its last operation is done must not poll for ever.
    if (until == XTC_UNTIL_POLL && in_flight_ > 0) until = XTC_UNTIL_NEVER;
    while (!awake() && until > timeline_.now()) {
        const int64_t next = timeline_.next_time();
        if (next == Timeline::never && until == XTC_UNTIL_NEVER) return; // nothing can ever come
        timeline_.advance_to(next < until ? next : until);
        timeline_.run_due();
    }
}

void SimDriver::wake() noexcept {
    woken_ = true;
    wakes_++;
}

// One table of descriptors serves every loop, so the waits of other loops end here as well.
void SimDriver::close_fd(int number) {
    fds_.abort(number);
    fds_.close(number);
}

} // namespace xtc::sim
