// SPDX-License-Identifier: ISC
#include "nrt/compute_units.hpp"

#include <algorithm>
#include <array>
#include <new>

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
        try {
            units_.push_back(std::move(unit));
        } catch (const std::bad_alloc&) { // loops run already: who asked takes them down
            return NRT_RESOURCE;
        }
    }
    return NRT_SUCCESS;
}

void ComputeUnits::close(Loops& loops) {
    for (uint32_t core = 0; core < units_.size(); ++core) {
        // A host may stop its loops meanwhile, and nothing would tell.
        const int64_t patience_ns = loops.are_hosts() ? Loops::kLookAgainNs : -1;
        bool stand = loops.try_hold();
        while (!stand && !units_[core]->close(patience_ns)) stand = loops.try_hold();
        if (stand) units_[core]->take_over();
        last_numbers.at(core) = units_[core]->unit().issued();
    }
}

void ComputeUnits::take_over() {
    for (const auto& unit : units_) unit->take_over();
}

void ComputeUnits::forget_workers() noexcept {
    for (const auto& unit : units_) unit->unit().forget_worker();
}

bool ComputeUnits::has_workers() const noexcept {
    return std::any_of(units_.begin(), units_.end(),
                       [](const auto& unit) { return unit->unit().has_worker(); });
}

} // namespace xtc::nrt
