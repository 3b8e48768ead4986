// SPDX-License-Identifier: ISC
//
// What a loop meets through its seams when somebody moves everything by hand: a clock, descriptors that are
// only numbers, closures that run when told to. Nothing happens by itself, so the same script gives the same
// run.
#pragma once

#include "seam/driver.h"
#include "seam/loop.h"
#include "seam/offload.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

namespace model {

class HandWorld {
public:
    HandWorld() = default;
    HandWorld(const HandWorld&) = delete;
    HandWorld& operator=(const HandWorld&) = delete;

    int attach(xtc_loop_t* loop) {
        xtc_seam_parts_t parts = {};
        parts.size = sizeof(parts);
        parts.driver = &kDriver;
        parts.driver_self = this;
        parts.offload = &kOffload;
        parts.offload_self = this;
        return xtc_seam_loop_attach(loop, &parts);
    }

    int64_t now = 1;

    // Something waits for the loop's next turn.
    bool has_news() const { return woken_ || !done_.empty(); }

    int open_fd() {
        fds_[++last_fd_] = 0;
        return last_fd_;
    }
    void signal_fd(int fd, short bits) {
        fds_[fd] = bits;
        for (xtc_op_t* op : std::vector<xtc_op_t*>(waiting_))
            if (op->fd == fd) finish(*op, bits);
    }

    bool refuses_closures = false;
    size_t closures() const { return jobs_.size(); }
    void run_closure() {
        xtc_offload_job_t* job = jobs_.front();
        jobs_.erase(jobs_.begin());
        job->result = job->fn(job->arg);
        job->done(job);
    }

private:
    static HandWorld& of(void* self) { return *static_cast<HandWorld*>(self); }

    void finish(xtc_op_t& op, int64_t res) {
        std::erase(waiting_, &op);
        op.res = res;
        done_.push_back(&op);
    }
    void submit(xtc_op_t& op) {
        waiting_.push_back(&op);
        const auto fd = fds_.find(op.fd);
        if (fd == fds_.end())
            finish(op, -EBADF);
        else if (fd->second != 0)
            finish(op, fd->second);
    }
    void cancel(xtc_op_t& op) {
        if (std::find(waiting_.begin(), waiting_.end(), &op) != waiting_.end()) finish(op, -ECANCELED);
    }
    xtc_op_t* wait() {
        woken_ = false;
        xtc_op_t* first = nullptr;
        for (; !done_.empty(); done_.pop_back()) {
            done_.back()->next = first;
            first = done_.back();
        }
        return first;
    }

    static int refuse(void*, xtc_op_t*) { return 0; }

    static const xtc_seam_driver_t kDriver;
    static const xtc_seam_offload_t kOffload;

    bool woken_ = false;
    int last_fd_ = 1000; // no number of this process is meant
    std::map<int, short> fds_;
    std::vector<xtc_op_t*> waiting_, done_;
    std::vector<xtc_offload_job_t*> jobs_;
};

inline const xtc_seam_driver_t HandWorld::kDriver = {
    .size = sizeof(xtc_seam_driver_t),
    .name = "hand",
    .now = [](void* self) { return of(self).now; },
    .try_op = refuse,
    .submit = [](void* self, xtc_op_t* op) { of(self).submit(*op); },
    .cancel = [](void* self, xtc_op_t* op) { of(self).cancel(*op); },
    .wait = [](void* self, int64_t) { return of(self).wait(); },
    .wake = [](void* self) { of(self).woken_ = true; },
    .abort_fd = [](void*, int) {},
    .close_fd = [](void*, int) {},
    .suspend = [](void*) {},
    .pollfd = [](void*) { return -1; },
    .destroy = [](void*) {},
};
inline const xtc_seam_offload_t HandWorld::kOffload = {
    .size = sizeof(xtc_seam_offload_t),
    .submit =
        [](void* self, xtc_offload_job_t* job) {
            if (of(self).refuses_closures) return static_cast<int>(XTC_E_RESOURCE);
            of(self).jobs_.push_back(job);
            return static_cast<int>(XTC_OK);
        },
    .revoke = [](void* self, xtc_offload_job_t* job) { return std::erase(of(self).jobs_, job) != 0 ? 1 : 0; },
};

} // namespace model
