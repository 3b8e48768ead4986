// SPDX-License-Identifier: ISC
// Which logical cores this process uses.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace xtc::nrt {

struct Settings;

// "a", "a-b", "a,b-c": sorted, without doubles. False: malformed, or with a hole.
bool parse_core_list(std::string_view text, std::vector<uint32_t>* out);

// The run of cores [first, first + count) that NEURON_RT_VISIBLE_CORES, or else NEURON_RT_NUM_CORES, selects
// of `total`. A client's core numbers begin with 0 at the first.
struct Cores {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t total = 0;

    bool has(int64_t vnc) const noexcept { return vnc >= 0 && vnc < count; }
};

NRT_STATUS select_cores(const Settings& settings, Cores* out); // NRT_FAILURE: a core is not there

} // namespace xtc::nrt
