// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "knobs.hpp"
#include "sim_chooser.hpp"
#include "sim_driver.hpp"
#include "sim_offload.hpp"
#include "streams.hpp"
#include "timeline.hpp"
#include "trace.hpp"
#include "virtual_fd.hpp"
#include "seam/loop.h"
#include "xtc_exec.h"

namespace xtc::sim {

// Everything around one executor that its loops meet through the seams. Made on first use, goes with the
// executor.
class World {
public:
    static World* of(xtc_exec_t* exec);         // null: its loops have run without a simulator
    static World* find(const xtc_exec_t* exec); // null: never simulated
    ~World();

    // The first run, or one with another seed, starts the streams from the seed; with the same seed they go
    // on, so that a run in pieces is the run in one piece. XTC_OK, XTC_E_AGAIN, XTC_E_DEADLK, XTC_E_INTERNAL,
    // or XTC_E_INVAL when called from inside.
    int run(uint64_t seed, int64_t max_steps);

    int check() const; // of every loop; XTC_OK or XTC_E_INTERNAL
    uint64_t state_hash() const;
    bool at_rest() const;
    size_t ops_in_flight() const;

    bool has_run() const noexcept { return has_run_; }
    uint64_t steps() const noexcept { return steps_; }
    const std::string& why() const noexcept { return why_; } // what ended the last run badly

    // Called after every step; false ends the run with XTC_E_INTERNAL.
    void set_step_check(std::function<bool()> check) { step_check_ = std::move(check); }

    Knobs knobs;
    Timeline timeline;
    Streams streams{0};
    Trace trace;
    VirtualFds fds{timeline, streams, trace, knobs};
    SimOffload offload{timeline, streams, trace, knobs};

private:
    struct Side {
        Side(World& world, uint32_t its_index, xtc_loop_t* its_loop);
        uint32_t index;
        xtc_loop_t* loop;
        SimDriver driver;
        SimChooser chooser;
    };

    explicit World(xtc_exec_t* exec);
    static void forget(const xtc_exec_t* exec);
    int attach();
    bool awake(const Side& side) const;
    bool jump();    // to the next time anything happens; false: nothing ever will
    void disturb(); // wakes and turns nobody asked for
    Side& pick(const std::vector<uint32_t>& ready);
    uint32_t turn(Side& side);
    int finish(int status, std::string why);

    xtc_exec_t* exec_;
    xtc_seam_fini_t at_fini_{};
    std::vector<std::unique_ptr<Side>> sides_;
    std::function<bool()> step_check_;
    std::string why_;
    size_t attached_ = 0; // sides whose loop has taken the parts
    uint64_t steps_ = 0;
    uint64_t idle_turns_ = 0; // in a row, with nothing handled
    uint32_t pinned_ = 0;     // Order::pessimal stays with this loop
    bool has_run_ = false;
};

} // namespace xtc::sim
