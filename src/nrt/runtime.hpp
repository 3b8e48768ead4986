// SPDX-License-Identifier: ISC
// What lives from nrt_init to nrt_close.
#pragma once

#include <atomic>
#include <cstdint>
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

    // No gated call is under way but such as stand on loops that are held, and none begins. Completes what
    // was accepted, unloads what is loaded.
    void shut_down();

    // The host's loops stand still, or are gone: what was accepted ends with NRT_CLOSED, and they stay as
    // they are until let_go_of_loops(). False, and nothing happened: they run, or they are our own.
    bool end_on_halted_loops();
    // What goes on in it now began before it was closed.
    bool is_closed() const noexcept { return is_closed_.load(); }
    void let_go_of_loops() noexcept { loops_->let_go(); }
    // After its end: fibers would find it gone if the host's loops went on.
    bool is_in_use() noexcept {
        if (loops_->are_gone()) units_.forget_workers();
        return calls_on_host_.load() != 0 || units_.has_workers();
    }

    // Gated calls of fibers on the host's loops.
    void enter_on_host() noexcept { calls_on_host_.fetch_add(1); }
    void leave_on_host() noexcept { calls_on_host_.fetch_sub(1); }
    uint64_t calls_on_host() const noexcept { return calls_on_host_.load(); }

    std::unique_ptr<Runtime> next; // of those that are in use after their end

    const Settings& settings() const noexcept { return settings_; }
    const Cores& cores() const noexcept { return cores_; }
    Loops& loops() const noexcept { return *loops_; }
    ModelTable& models() noexcept { return models_; }
    ComputeUnit& compute_unit(uint32_t core) const noexcept { return units_.of(core); }

private:
    Runtime() = default;

    Settings settings_;
    Cores cores_;
    std::unique_ptr<Loops> loops_;
    ModelTable models_;
    ComputeUnits units_;
    std::atomic<uint64_t> calls_on_host_{0};
    std::atomic<bool> is_closed_{false};
};

} // namespace xtc::nrt
