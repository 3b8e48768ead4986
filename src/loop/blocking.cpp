// SPDX-License-Identifier: ISC
#include "loop/blocking.hpp"

#include <new>

#include "loop/loop.hpp"
#include "loop/pool.hpp"
#include "xtc.h"
#include "xtc_blocking.h"

namespace xtc {

BlockingCall::BlockingCall(Task& task, int (*fn_)(void*), void* arg_)
    : xtc_offload_job_t{}, task_(task), guard_(task, dropped, this) {
    fn = fn_;
    arg = arg_;
    done = ended;
}

BlockingCall::~BlockingCall() {
    if (started_) wait();
}

void BlockingCall::ended(xtc_offload_job_t* job) {
    static_cast<BlockingCall*>(job)->cell_.signal();
}

int BlockingCall::start() {
    void* self = nullptr;
    const xtc_seam_offload_t* offload = task_.loop->offload(&self);
    const int rc = offload->submit(self, this);
    started_ = rc == XTC_OK;
    return rc;
}

void BlockingCall::wait() {
    if (!started_) return;
    cell_.wait(task_, XTC_UNTIL_NEVER, OnKill::ignore);
    started_ = false;
}

// The loop drops our stack: take the closure back, or let it finish first.
void BlockingCall::dropped(void* p) {
    auto* call = static_cast<BlockingCall*>(p);
    if (!call->started_) return;
    void* self = nullptr;
    const xtc_seam_offload_t* offload = call->task_.loop->offload(&self);
    if (offload->revoke(self, call)) return;
    call->cell_.forget_waiter();
    call->cell_.wait_thread(XTC_UNTIL_NEVER);
}

namespace {

struct Detached : xtc_offload_job_t {
    static void ended(xtc_offload_job_t* job) { delete static_cast<Detached*>(job); }
};

int run_here(int (*fn)(void*), void* arg, int* out) {
    const int answer = fn(arg);
    if (out != nullptr) *out = answer;
    return XTC_OK;
}

} // namespace
} // namespace xtc

using namespace xtc;

int xtc_blocking_run(int (*fn)(void*), void* arg, int* out_result) {
    if (fn == nullptr) return XTC_E_INVAL;
    if (current_loop() == nullptr) return run_here(fn, arg, out_result);
    Task* self = current_fiber();
    if (self == nullptr) return XTC_E_INVAL;
    BlockingCall call(*self, fn, arg);
    if (int rc = call.start(); rc != XTC_OK) return rc;
    call.wait();
    if (out_result != nullptr) *out_result = call.answer();
    return XTC_OK;
}

int xtc_blocking_submit(int (*fn)(void*), void* arg) {
    if (fn == nullptr) return XTC_E_INVAL;
    auto* job = new (std::nothrow) Detached{};
    if (job == nullptr) return XTC_E_NOMEM;
    job->fn = fn;
    job->arg = arg;
    job->done = Detached::ended;
    void* self = nullptr;
    Loop* here = current_loop();
    const xtc_seam_offload_t* offload = here != nullptr ? here->offload(&self) : pool_offload();
    const int rc = offload->submit(self, job);
    if (rc != XTC_OK) delete job;
    return rc;
}

int xtc_blocking_run_off_loop(int (*fn)(void*), void* arg, int* out_result) {
    if (fn == nullptr || current_loop() != nullptr) return XTC_E_INVAL;
    struct Job : xtc_offload_job_t {
        WakeCell cell;
        static void ended(xtc_offload_job_t* job) { static_cast<Job*>(job)->cell.signal(); }
    } job{};
    job.fn = fn;
    job.arg = arg;
    job.done = Job::ended;
    if (int rc = pool_offload()->submit(nullptr, &job); rc != XTC_OK) return rc;
    while (job.cell.wait_thread(XTC_UNTIL_NEVER) != Woke::event) {
    }
    if (out_result != nullptr) *out_result = job.result;
    return XTC_OK;
}
