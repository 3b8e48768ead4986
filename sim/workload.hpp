// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "complaints.hpp"
#include "swarm.hpp"
#include "xtc_exec.h"

namespace xtc::sim {

// Seeded clients of the public headers together with the oracle that watches them.
class Workload {
public:
    virtual ~Workload() = default;

    virtual void build(xtc_exec_t* exec) = 0; // before the first run
    virtual void heal() = 0;                  // from now on nothing hangs, and everybody finishes
    // The faults are still on and nothing can wake anybody any more: whether that may be, and healing helps.
    virtual bool explains_deadlock() { return false; }
    virtual void finish() = 0; // everything is at rest: last looks, take down
    virtual std::string summary() const = 0;
    // Fibers whose results nobody will take: their records stay until the loop's end.
    virtual int64_t abandoned_tasks() const { return 0; }

    Complaints& complaints() noexcept { return complaints_; }

protected:
    Complaints complaints_;
};

std::unique_ptr<Workload> make_batch_workload(uint64_t seed, const Swarm& swarm);
std::unique_ptr<Workload> make_procs_workload(uint64_t seed, const Swarm& swarm);

} // namespace xtc::sim
