// SPDX-License-Identifier: ISC
#include "nrt/environment.hpp"

#include <xtc.h>

#include <algorithm>

#include "base/env.hpp"
#include "nrt/cores.hpp"

namespace xtc::nrt {

namespace {

struct Variable {
    const char* name;
    const char* fallback;
    const char* meaning;
    bool (*read)(std::string_view text, Settings& into);
};

bool number(std::string_view text, uint64_t least, uint64_t most, uint32_t& into) {
    uint64_t value = 0;
    if (!parse_number(text, most, &value) || value < least) return false;
    into = static_cast<uint32_t>(value);
    return true;
}

bool flag(std::string_view text, bool& into) {
    if (text != "0" && text != "1" && text != "false" && text != "true") return false;
    into = text == "1" || text == "true";
    return true;
}

bool read_inflight(std::string_view text, Settings& s) {
    if (!number(text, 0, UINT32_MAX, s.inflight_requests)) return false;
    s.inflight_requests = std::min(s.inflight_requests, kMostInflight);
    return true;
}

constexpr uint32_t kLongestQueue = 1u << 20;

// The log's come first: what is wrong with the others is logged as they say.
constexpr std::array<Variable, kVariables> table{{
    {"NEURON_RT_LOG_LEVEL", "ERROR", "what is logged: QUIET, ERROR, WARN, INFO, DEBUG or TRACE",
     [](std::string_view text, Settings& s) { return parse(text, &s.log_level); }},
    {"NEURON_RT_LOG_LOCATION", "console", "where it is logged: console, which is standard error, or syslog",
     [](std::string_view text, Settings& s) { return parse(text, &s.log_place); }},
    {"XTC_NRT_VNC_COUNT", "processors, at most 128", "how many logical cores the device has, 1 to 128",
     [](std::string_view text, Settings& s) { return number(text, 1, kMostCores, s.core_count); }},
    {"NEURON_RT_VISIBLE_CORES", "all", "the cores this process uses, such as 3 or 0-3 or 0,1-3",
     [](std::string_view text, Settings& s) {
         std::vector<uint32_t> cores;
         if (!parse_core_list(text, &cores)) return false;
         s.visible_cores = std::move(cores);
         return true;
     }},
    {"NEURON_RT_NUM_CORES", "0", "how many cores this process uses, from core 0; 0 is all of them",
     [](std::string_view text, Settings& s) { return number(text, 0, UINT32_MAX, s.num_cores); }},
    {"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "0",
     "above 0, nrt_execute returns once the request is queued; so many, at most 63, may be unfinished",
     read_inflight},
    {"NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "8", "unfinished requests a core's compute unit takes",
     [](std::string_view text, Settings& s) { return number(text, 1, kLongestQueue, s.compute_queue); }},
    {"XTC_NRT_XU_MAX_QUEUED_REQUESTS", "1024", "unfinished requests a queue of the other units takes",
     [](std::string_view text, Settings& s) { return number(text, 1, kLongestQueue, s.other_queue); }},
    {"NEURON_RT_EXEC_TIMEOUT", "30", "seconds that nrt_execute waits for room in the queue",
     [](std::string_view text, Settings& s) { return number(text, 1, 1'000'000, s.exec_timeout_s); }},
    {"XTC_NRT_ALLOW_NATIVE", "1", "0 refuses model packages that bring machine code",
     [](std::string_view text, Settings& s) { return flag(text, s.allow_native); }},
}};

constexpr size_t kLongestValue = 1022; // xtc_env_get cuts longer ones

void add_row(std::string& text, const char* name, const char* value, bool is_default, const char* meaning) {
    text.append(name).append("=").append(value).append(is_default ? " (default)\n    " : "\n    ");
    text.append(meaning).append("\n");
}

} // namespace

bool parse_number(std::string_view text, uint64_t most, uint64_t* out) noexcept {
    if (text.empty()) return false;
    uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value))
            return false;
    }
    if (value > most) return false;
    *out = value;
    return true;
}

NRT_STATUS read_settings(GetVariable get, uint32_t cpus, Settings* out) {
    Settings settings;
    settings.core_count = std::clamp(cpus, 1u, kMostCores);
    std::array<bool, kVariables> malformed{};
    for (size_t i = 0; i < kVariables; ++i) {
        const char* value = get(table[i].name);
        if (value == nullptr || *value == '\0') continue;
        settings.text[i] = value;
        malformed[i] =
            settings.text[i]->size() > kLongestValue || !table[i].read(*settings.text[i], settings);
    }
    set_log(settings.log_level, settings.log_place);
    NRT_STATUS status = NRT_SUCCESS;
    for (size_t i = 0; i < kVariables; ++i) {
        if (!malformed[i]) continue;
        status = NRT_INVALID;
        log(LogLevel::error, "%s is malformed: '%.64s'. It means: %s", table[i].name,
            settings.text[i]->c_str(), table[i].meaning);
    }
    if (status == NRT_SUCCESS) *out = std::move(settings);
    return status;
}

NRT_STATUS read_settings(Settings* out) {
    return read_settings(xtc_env_get, static_cast<uint32_t>(xtc_ncpus()), out);
}

std::string describe(const Settings& settings) {
    std::string text;
    for (size_t i = 0; i < kVariables; ++i) {
        const auto& set = settings.text[i];
        add_row(text, table[i].name, set ? set->c_str() : table[i].fallback, !set, table[i].meaning);
    }
    return text;
}

std::string describe_process() {
    Settings settings;
    for (size_t i = 0; i < kVariables; ++i)
        if (const char* value = xtc_env_get(table[i].name); value != nullptr && *value != '\0')
            settings.text[i] = value;
    return describe(settings);
}

std::string describe_loops() {
    std::string text;
    for (const EnvVariable& variable : env_variables) {
        const char* value = xtc_env_get(variable.name);
        add_row(text, variable.name, value != nullptr ? value : variable.fallback, value == nullptr,
                variable.meaning);
    }
    return text;
}

} // namespace xtc::nrt
