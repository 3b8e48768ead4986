// SPDX-License-Identifier: ISC
//
// Duels in a child process, so that one that crashes or hangs is a finding like any other, and the way from a
// finding to the shortest script that shows it.
#pragma once

#include "batch/model/script.hpp"

#include <cstdint>
#include <string>

namespace model {

struct Finding {
    bool found = false;
    uint64_t seed = 0;
    Script script;
    std::string what;
};

struct Search {
    uint64_t first_seed = 1;
    uint64_t steps = 0; // at least so many are done
};

struct SearchEnd {
    Finding finding;
    uint64_t seeds = 0;
    uint64_t steps = 0;
    uint64_t digest = 0; // of every answer and every event
};

SearchEnd search(const Search& plan);

// Leaves out steps, then makes numbers smaller, as long as something still differs.
Finding shrink(const Finding& finding);

// The script as C, with what happened as comments, the difference and the seed.
std::string shown(const Finding& finding);

} // namespace model
