// SPDX-License-Identifier: ISC
// One compute unit for each core of this process.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "nrt/compute_unit.hpp"
#include "nrt/cores.hpp"
#include "nrt/environment.hpp"
#include "nrt/loops.hpp"

namespace xtc::nrt {

class ComputeUnits {
public:
    // Numbers of a core go on where those of the unit before ended, so that old ones stay old.
    NRT_STATUS make(const Settings& settings, const Cores& cores, const Loops& loops);
    // Nobody submits any more. Where the loops are found to stand still it ends in the workers' place.
    void close(Loops& loops);
    // The loops stand still and are held.
    void take_over();
    // The loops are gone.
    void forget_workers() noexcept;
    // A worker stands on a loop that may go on.
    bool has_workers() const noexcept;

    ComputeUnit& of(uint32_t core) const noexcept { return *units_[core]; }

private:
    std::vector<std::unique_ptr<ComputeUnit>> units_;
};

} // namespace xtc::nrt
