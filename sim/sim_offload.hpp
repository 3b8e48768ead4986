// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "knobs.hpp"
#include "seam/offload.h"
#include "streams.hpp"
#include "timeline.hpp"
#include "trace.hpp"

namespace xtc::sim {

// A thread pool without threads: a closure runs between two turns at a seeded time, its end is told at
// another.
class SimOffload {
public:
    SimOffload(Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs) noexcept
        : timeline_(timeline), streams_(streams), trace_(trace), knobs_(knobs) {}
    SimOffload(const SimOffload&) = delete;
    SimOffload& operator=(const SimOffload&) = delete;

    static const xtc_seam_offload_t table; // self is the SimOffload

    size_t pending() const noexcept { return pending_; } // accepted, end not told

private:
    static SimOffload& of(void* self) noexcept { return *static_cast<SimOffload*>(self); }

    int submit(xtc_offload_job_t& job);
    int revoke(xtc_offload_job_t& job);
    void begin(xtc_offload_job_t& job, uint64_t ordinal);

    Timeline& timeline_;
    Streams& streams_;
    Trace& trace_;
    const Knobs& knobs_;
    void tell(xtc_offload_job_t& job, uint64_t ordinal);

    struct Begun {
        uint64_t event;
        uint64_t ordinal;
    };
    // Looked up, never walked.
    std::unordered_map<const xtc_offload_job_t*, uint64_t> queued_; // the event that begins it
    std::unordered_map<const xtc_offload_job_t*, Begun> begun_;     // the one that tells its end
    size_t pending_ = 0;
    uint64_t last_ordinal_ = 0;
};

} // namespace xtc::sim
