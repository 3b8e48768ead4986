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
    // Nobody submits any more.
    void close();

    ComputeUnit& of(uint32_t core) const noexcept { return *units_[core]; }

private:
    std::vector<std::unique_ptr<ComputeUnit>> units_;
};

} // namespace xtc::nrt
