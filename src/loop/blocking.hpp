// SPDX-License-Identifier: ISC
// A closure that runs off the loop while a fiber waits for it.
#pragma once

#include "loop/task.hpp"
#include "loop/wait.hpp"
#include "loop/wake_cell.hpp"
#include "seam/offload.h"

namespace xtc {

// On the waiting fiber's stack. Whoever starts it must wait until it has ended: the closure may write to
// memory of the caller's.
class BlockingCall : xtc_offload_job_t {
public:
    BlockingCall(Task& task, int (*fn)(void*), void* arg);
    ~BlockingCall();
    BlockingCall(const BlockingCall&) = delete;
    BlockingCall& operator=(const BlockingCall&) = delete;

    int start(); // XTC_OK, or the pool's refusal: fn will not run
    bool has_ended() const { return cell_.has_permit(); }
    void wait();                       // until fn has returned; neither kill nor time ends it
    WakeCell& cell() { return cell_; } // a permit once fn has returned; wait_either may look at it
    int answer() const { return result; }

private:
    static void ended(xtc_offload_job_t* job);
    static void dropped(void* self);

    Task& task_;
    bool started_ = false;
    WakeCell cell_;
    DropGuard guard_;
};

} // namespace xtc
