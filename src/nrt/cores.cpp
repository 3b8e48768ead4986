// SPDX-License-Identifier: ISC
#include "nrt/cores.hpp"

#include <algorithm>

#include "nrt/environment.hpp"

namespace xtc::nrt {

namespace {

// Far above any core there is: what is too high is another complaint than what is no number.
constexpr uint64_t kHighest = 65535;

bool parse_range(std::string_view text, uint64_t* first, uint64_t* last) {
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
        if (!parse_number(text, kHighest, first)) return false;
        *last = *first;
        return true;
    }
    return parse_number(text.substr(0, dash), kHighest, first) &&
           parse_number(text.substr(dash + 1), kHighest, last) && *first <= *last;
}

} // namespace

bool parse_core_list(std::string_view text, std::vector<uint32_t>* out) {
    std::vector<uint32_t> cores;
    uint64_t begin = 0; // of the range before: they ascend, but may overlap
    for (bool more = true; more;) {
        const size_t comma = text.find(',');
        more = comma != std::string_view::npos;
        uint64_t first = 0;
        uint64_t last = 0;
        if (!parse_range(text.substr(0, comma), &first, &last) || first < begin) return false;
        begin = first;
        for (uint64_t core = first; core <= last; ++core)
            if (cores.empty() || core > cores.back()) cores.push_back(static_cast<uint32_t>(core));
        if (more) text.remove_prefix(comma + 1);
    }
    if (cores.back() - cores.front() + 1 != cores.size()) return false;
    *out = std::move(cores);
    return true;
}

NRT_STATUS select_cores(const Settings& settings, Cores* out) {
    Cores cores{0, settings.core_count, settings.core_count};
    if (settings.visible_cores) {
        if (settings.num_cores != 0)
            log(LogLevel::warn, "NEURON_RT_VISIBLE_CORES is set: NEURON_RT_NUM_CORES is ignored");
        cores.first = settings.visible_cores->front();
        cores.count = static_cast<uint32_t>(settings.visible_cores->size());
    } else if (settings.num_cores != 0) {
        cores.count = settings.num_cores;
    }
    if (uint64_t{cores.first} + cores.count > cores.total) {
        log(LogLevel::error,
            "Specified core not accessible! Cores %u to %llu were asked for, the device has %u", cores.first,
            static_cast<unsigned long long>(cores.first) + cores.count - 1, cores.total);
        return NRT_FAILURE;
    }
    *out = cores;
    return NRT_SUCCESS;
}

} // namespace xtc::nrt
