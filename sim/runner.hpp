// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "swarm.hpp"
#include "trace.hpp"
#include "workload.hpp"

namespace xtc::sim {

// Exit codes of the command, too.
enum class Verdict : int {
    ok = 0,
    correctness = 1, // an oracle or an invariant
    liveness = 3     // it did not finish
    // a crash is the signal's or abort's own code
};

struct RunResult {
    Verdict verdict = Verdict::ok;
    std::vector<std::string> why;
    uint64_t trace_hash = 0;
    uint64_t state_hash = 0;
    uint64_t safety_steps = 0;
    uint64_t liveness_steps = 0;
    int64_t virtual_ns = 0;
    std::string summary;
    std::unique_ptr<Trace> trace; // when asked for
};

using MakeWorkload = std::unique_ptr<Workload> (*)(uint64_t seed, const Swarm& swarm);

// One seed: a safety phase in which anything may fail and nothing may be wrong, then a liveness phase in
// which nothing fails any more and everything must finish.
RunResult run_seed(uint64_t seed, MakeWorkload make, bool keep_trace);

} // namespace xtc::sim
