// SPDX-License-Identifier: ISC
// What lives from nrt_init to nrt_close.
#pragma once

#include <memory>

#include "nrt/compute_units.hpp"
#include "nrt/cores.hpp"
#include "nrt/environment.hpp"
#include "nrt/loops.hpp"
#include "nrt/model_table.hpp"

namespace xtc::nrt {

class Runtime {
public:
    // Reads the environment, selects the cores, starts the loops. `host`: nrt_xtc_use_exec, may be NULL.
    static NRT_STATUS make(xtc_exec_t* host, std::unique_ptr<Runtime>* out);

    // No gated call is under way, and none begins. Completes what was accepted, unloads what is loaded.
    void shut_down();

    const Settings& settings() const noexcept { return settings_; }
    const Cores& cores() const noexcept { return cores_; }
    const Loops& loops() const noexcept { return *loops_; }
    ModelTable& models() noexcept { return models_; }
    ComputeUnit& compute_unit(uint32_t core) const noexcept { return units_.of(core); }

private:
    Runtime() = default;

    Settings settings_;
    Cores cores_;
    std::unique_ptr<Loops> loops_;
    ModelTable models_;
    ComputeUnits units_;
};

} // namespace xtc::nrt
