// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <string>

#include "base/prng.hpp"
#include "knobs.hpp"

namespace xtc::sim {

// How hard a workload is to its groups and processes. Each fault exists in some runs and not in others, so
// that none of them hides another.
struct Harm {
    Ratio hang{};           // an operation that does not end by itself
    Ratio bad_token{};      // a fence that is no descriptor, shows an error, a promise dropped or failed
    Ratio callback_fails{}; // nonzero returns, unset and unknown results
    Ratio callback_slow{};  // callbacks that yield or sleep
    Ratio callback_calls{}; // callbacks that call the group
    Ratio block{};          // members that wait for a resume
    Ratio cancel{};         // requests whose client changes its mind
    Ratio kill{};           // processes killed from outside
    bool kill_driver = false;
    bool tiny_queues = false;
    Span device_time{1'000, 300'000};
};

struct Swarm {
    int loops = 2;
    int clients = 4;
    int requests = 20; // of one client
    int64_t safety_steps = 0;
    Knobs knobs;
    Harm harm;
};

Swarm draw_swarm(uint64_t seed);
std::string describe(const Swarm& swarm);
// The same world with every fault off.
Knobs healed(const Knobs& knobs);

} // namespace xtc::sim
