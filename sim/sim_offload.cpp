// SPDX-License-Identifier: ISC
#include "sim_offload.hpp"

#include "xtc.h"

namespace xtc::sim {

const xtc_seam_offload_t SimOffload::table = {
    .size = sizeof(xtc_seam_offload_t),
    .submit = [](void* self, xtc_offload_job_t* job) { return of(self).submit(*job); },
    .revoke = [](void* self, xtc_offload_job_t* job) { return of(self).revoke(*job); },
};

int SimOffload::submit(xtc_offload_job_t& job) {
    Prng& draw = streams_[Stream::offload];
    if (draw.chance(knobs_.offload_refused)) return XTC_E_RESOURCE;
    const uint64_t ordinal = ++last_ordinal_;
    const int64_t delay = draw.magnitude(knobs_.offload_delay.lo, knobs_.offload_delay.hi);
    queued_[&job] = timeline_.at(timeline_.now() + delay, [this, &job, ordinal] { begin(job, ordinal); });
    pending_++;
    return XTC_OK;
}

void SimOffload::begin(xtc_offload_job_t& job, uint64_t ordinal) {
    queued_.erase(&job);
    trace_.note(timeline_.now(), Trace::no_loop, static_cast<uint32_t>(Mark::offload), ordinal, 0);
    job.result = job.fn(job.arg);
    const int64_t time = streams_[Stream::offload].magnitude(knobs_.offload_time.lo, knobs_.offload_time.hi);
    const uint64_t event =
        timeline_.at(timeline_.now() + time, [this, &job, ordinal] { tell(job, ordinal); });
    begun_[&job] = {event, ordinal};
}

void SimOffload::tell(xtc_offload_job_t& job, uint64_t ordinal) {
    trace_.note(timeline_.now(), Trace::no_loop, static_cast<uint32_t>(Mark::offload), ordinal, 1);
    begun_.erase(&job);
    pending_--;
    job.done(&job);
}

int SimOffload::revoke(xtc_offload_job_t& job) {
    if (const auto found = queued_.find(&job); found != queued_.end()) {
        timeline_.revoke(found->second);
        queued_.erase(found);
        pending_--;
        return 1;
    }
    // Whoever asks is about to block for the end: nobody but us can bring it.
    if (const auto found = begun_.find(&job); found != begun_.end()) {
        timeline_.revoke(found->second.event);
        tell(job, found->second.ordinal);
    }
    return 0;
}

} // namespace xtc::sim
