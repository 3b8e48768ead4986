// SPDX-License-Identifier: ISC
//
// A device that holds its operations until the test lets them go, one way or the other, with each kind of
// token. A closure runs when the test says so, on the test's thread, through the loop's Offload seam.
#pragma once

#include "batch/story.hpp"
#include "seam/loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace story {

inline const char* name_of_kind(int kind) {
    switch (kind) {
    case XTC_BATCH_EXEC_SYNC:
        return "inline";
    case XTC_BATCH_EXEC_FENCE:
        return "fence";
    case XTC_BATCH_EXEC_FUTURE:
        return "future";
    default:
        return "closure";
    }
}

struct Device {
    int kind = XTC_BATCH_EXEC_FUTURE;
    int fence = -1;
    xtc_promise_t* promise = nullptr;
    int launched = 0;
    int closures_run = 0;
    int refusal = XTC_OK; // of the pool

    explicit Device(int k) : kind(k) {
        if (kind == XTC_BATCH_EXEC_FENCE) fence = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    ~Device() {
        if (fence >= 0) ::close(fence);
        xtc_promise_drop(promise);
    }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // Before the loop's first step.
    void run_in(Story& s) {
        s.on_submit = [this](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            launch(exec);
            return 0;
        };
        if (kind != XTC_BATCH_EXEC_BLOCKING) return;
        static const xtc_seam_offload_t table = {sizeof(table), hold, take_back};
        xtc_seam_parts_t parts = {};
        parts.size = sizeof(parts);
        parts.offload = &table;
        parts.offload_self = this;
        REQUIRE(xtc_seam_loop_attach(s.loop, &parts) == XTC_OK);
    }

    void launch(xtc_batch_exec_t* exec) {
        ++launched;
        exec->kind = kind;
        switch (kind) {
        case XTC_BATCH_EXEC_FENCE: {
            uint64_t ignored;
            [[maybe_unused]] const ssize_t n = ::read(fence, &ignored, sizeof(ignored));
            exec->fence_fd = fence;
            return;
        }
        case XTC_BATCH_EXEC_FUTURE:
            xtc_promise_drop(promise);
            CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
            return;
        case XTC_BATCH_EXEC_BLOCKING:
            exec->run = closure;
            exec->arg = this;
            return;
        default:
            return;
        }
    }
    void finish(int status = XTC_OK) {
        switch (kind) {
        case XTC_BATCH_EXEC_FENCE: {
            const uint64_t one = 1;
            CHECK(::write(fence, &one, sizeof(one)) == sizeof(one));
            return;
        }
        case XTC_BATCH_EXEC_FUTURE:
            CHECK(xtc_promise_set(std::exchange(promise, nullptr), 7, status) == XTC_OK);
            return;
        case XTC_BATCH_EXEC_BLOCKING: {
            xtc_offload_job_t* job = std::exchange(job_, nullptr);
            CHECK(job != nullptr);
            if (job == nullptr) return;
            job->result = job->fn(job->arg);
            job->done(job);
            return;
        }
        default:
            return;
        }
    }
    bool is_held() const { return job_ != nullptr; } // a closure that the pool has accepted and not run

private:
    xtc_offload_job_t* job_ = nullptr;

    static int closure(void* raw) { return ++static_cast<Device*>(raw)->closures_run; }
    static int hold(void* raw, xtc_offload_job_t* job) {
        auto* self = static_cast<Device*>(raw);
        if (self->refusal != XTC_OK) return self->refusal;
        CHECK(self->job_ == nullptr);
        self->job_ = job;
        return XTC_OK;
    }
    static int take_back(void* raw, xtc_offload_job_t* job) {
        auto* self = static_cast<Device*>(raw);
        if (self->job_ != job) return 0;
        self->job_ = nullptr;
        return 1;
    }
};

} // namespace story
