// SPDX-License-Identifier: ISC
#include "nrt/compute_units.hpp"

#include <array>

namespace xtc::nrt {

namespace {

// Of nrt_init and nrt_close, which exclude each other.
constinit std::array<uint64_t, kMostCores> last_numbers{};

} // namespace

NRT_STATUS ComputeUnits::make(const Settings& settings, const Cores& cores, const Loops& loops) {
    // The limit on requests in flight is the bound of the queue that nothing else can fill.
    const uint32_t capacity = settings.implicit_async() ? settings.inflight_requests : settings.compute_queue;
    for (uint32_t core = 0; core < cores.count; ++core) {
        std::unique_ptr<ComputeUnit> unit = ComputeUnit::make(loops, core, capacity, last_numbers.at(core));
        if (unit == nullptr) return NRT_RESOURCE;
        units_.push_back(std::move(unit));
    }
    return NRT_SUCCESS;
}

void ComputeUnits::close() {
    for (uint32_t core = 0; core < units_.size(); ++core) {
        units_[core]->close();
        last_numbers.at(core) = units_[core]->unit().issued();
    }
    units_.clear();
}

} // namespace xtc::nrt
