// SPDX-License-Identifier: ISC
// What the environment says, read once by nrt_init through one table, which nrt_xtc_print_env prints.
#pragma once

#include <nrt/nrt_status.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nrt/log.hpp"

namespace xtc::nrt {

inline constexpr uint32_t kMostCores = 128;
inline constexpr uint32_t kMostInflight = 63;
inline constexpr size_t kVariables = 10;

struct Settings {
    LogLevel log_level = LogLevel::error;
    LogPlace log_place = LogPlace::console;
    uint32_t core_count = 1;                            // XTC_NRT_VNC_COUNT
    std::optional<std::vector<uint32_t>> visible_cores; // NEURON_RT_VISIBLE_CORES as written, sorted
    uint32_t num_cores = 0;                             // NEURON_RT_NUM_CORES; 0: all
    uint32_t inflight_requests = 0;                     // 0: no implicit asynchronous mode
    uint32_t compute_queue = 8;
    uint32_t other_queue = 1024;
    uint32_t exec_timeout_s = 30;
    bool allow_native = true;

    std::array<std::optional<std::string>, kVariables> text; // what was set, for print()

    bool implicit_async() const noexcept { return inflight_requests != 0; }
};

// Where variables come from: NULL for one that is not set.
using GetVariable = const char* (*)(const char* name);

// NRT_INVALID, with a logged sentence for each, when variables are malformed. An empty one counts as not set.
// `cpus` is what XTC_NRT_VNC_COUNT defaults to.
NRT_STATUS read_settings(GetVariable get, uint32_t cpus, Settings* out);
NRT_STATUS read_settings(Settings* out); // of this process

// The table with the values of `settings`, one line of text for each variable and one for its meaning.
std::string describe(const Settings& settings);

// The same with what is set now, well-formed or not; and what the library below looks for.
std::string describe_process();
std::string describe_loops();

// Decimal digits and nothing else.
bool parse_number(std::string_view text, uint64_t most, uint64_t* out) noexcept;

} // namespace xtc::nrt
