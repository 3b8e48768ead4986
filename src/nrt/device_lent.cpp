// SPDX-License-Identifier: ISC
#include "nrt/device_lent.hpp"

#include <xtc.h>
#include <xtc_proc.h>

#include "nrt/execution.hpp"

namespace xtc::nrt {

DeviceLent::~DeviceLent() {
    xtc_notify_destroy(ended_);
}

int DeviceLent::run_job(void* arg) {
    auto* job = static_cast<Job*>(arg);
    if (job->execution == nullptr) return 0;
    const Sleeper sleeper{[](void* self, int64_t ns) { static_cast<Job*>(self)->sleep_ns += ns; }, job};
    job->outcome = job->execution->run(sleeper);
    job->has_run = true;
    return 0;
}

bool DeviceLent::end_early(Outcome* outcome) noexcept {
    job_.execution = nullptr;
    *outcome = job_.outcome;
    return job_.has_run;
}

Outcome DeviceLent::run(Execution& execution) {
    if (ended_ == nullptr && xtc_notify_create(&ended_) != XTC_OK) return {Status::resource, false};
    job_ = {};
    job_.fn = run_job;
    job_.arg = &job_;
    job_.owner = ended_;
    job_.done = [](xtc_offload_job_t* job) { xtc_notify_signal(static_cast<xtc_notify_t*>(job->owner)); };
    job_.execution = &execution;
    if (offload_->submit(self_, &job_) != XTC_OK) return {Status::resource, false};
    xtc_notify_wait(ended_, -1);
    // The kernel could not wait where it ran; its core is busy for that long all the same.
    if (job_.sleep_ns > 0) xtc_proc_sleep(job_.sleep_ns);
    return job_.outcome;
}

} // namespace xtc::nrt
