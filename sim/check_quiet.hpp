// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <vector>

#include "complaints.hpp"
#include "world.hpp"
#include "xtc_exec.h"

namespace xtc::sim {

// At rest nothing is left: no task, timer, operation or descriptor, and every loop's accountant where it was,
// but for the results that nobody took.
class QuietOracle {
public:
    explicit QuietOracle(xtc_exec_t* exec); // before anything was made on it
    void check(const World& world, int64_t abandoned_tasks, Complaints& complaints) const;

private:
    xtc_exec_t* exec_;
    std::vector<int64_t> used_; // kind by kind, loop by loop
};

} // namespace xtc::sim
