// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <unordered_map>

#include "knobs.hpp"
#include "seam/chooser.h"
#include "streams.hpp"
#include "timeline.hpp"
#include "trace.hpp"

namespace xtc::sim {

// One loop's: which ready task goes next, and the log of what the loop did.
class SimChooser {
public:
    SimChooser(uint32_t loop, Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs) noexcept
        : loop_(loop), timeline_(timeline), streams_(streams), trace_(trace), knobs_(knobs) {}
    SimChooser(const SimChooser&) = delete;
    SimChooser& operator=(const SimChooser&) = delete;

    static const xtc_seam_chooser_t table; // self is the SimChooser

private:
    uint32_t choose(uint32_t n);
    void note(xtc_note_kind_t kind, uint64_t a, uint64_t b);
    uint64_t name_of(uint64_t slot);

    uint32_t loop_;
    Timeline& timeline_;
    Streams& streams_;
    Trace& trace_;
    const Knobs& knobs_;
    std::unordered_map<uint64_t, uint64_t> names_; // slot to order of appearance; never walked
};

} // namespace xtc::sim
