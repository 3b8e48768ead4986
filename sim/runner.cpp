// SPDX-License-Identifier: ISC
#include "runner.hpp"

#include "base/assert.hpp"
#include "check_quiet.hpp"
#include "world.hpp"
#include "xtc.h"
#include "xtc_sim.h"

namespace xtc::sim {

namespace {

// No healed run has come near it.
constexpr int64_t liveness_steps = 2'000'000;

struct Run {
    Run(uint64_t its_seed, MakeWorkload make, bool keep_trace) : seed(its_seed), swarm(draw_swarm(seed)) {
        const int status = xtc_exec_init(&exec, swarm.loops);
        XTC_ASSERT(status == XTC_OK);
        world = World::of(exec);
        XTC_ASSERT(world != nullptr);
        if (keep_trace) world->trace.keep_all();
        world->knobs = swarm.knobs;
        workload = make(seed, swarm);
        world->set_step_check([this] { return workload->complaints().none(); });
    }
    // A run that went wrong may have left anything anywhere: it is kept, so that taking it down can not hide
    // how it failed.
    ~Run() {
        if (!has_ended_well) {
            static_cast<void>(workload.release());
            return;
        }
        workload.reset();
        xtc_exec_fini(exec);
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    uint64_t seed;
    Swarm swarm;
    xtc_exec_t* exec = nullptr;
    World* world = nullptr;
    bool has_ended_well = false;
    std::unique_ptr<Workload> workload;
};

// A workload may stop the executor; then it goes on with what was left.
int run_until_rest(Run& run, int64_t max_steps) {
    const uint64_t end = run.world->steps() + static_cast<uint64_t>(max_steps);
    int status = XTC_E_AGAIN;
    while (run.world->steps() < end) {
        status = xtc_sim_exec_run(run.exec, run.seed, static_cast<long>(end - run.world->steps()));
        if (status != XTC_OK || run.world->at_rest()) break;
    }
    return status == XTC_OK && !run.world->at_rest() ? XTC_E_AGAIN : status;
}

void run_phases(Run& run, RunResult& result) {
    const QuietOracle quiet(run.exec);
    run.workload->build(run.exec);

    int status = run_until_rest(run, run.swarm.safety_steps);
    result.safety_steps = run.world->steps();
    if (status == XTC_E_DEADLK && run.workload->explains_deadlock()) status = XTC_E_AGAIN;
    if (status == XTC_OK || status == XTC_E_AGAIN) {
        run.world->knobs = healed(run.swarm.knobs);
        run.workload->heal();
        status = run_until_rest(run, liveness_steps);
        result.liveness_steps = run.world->steps() - result.safety_steps;
    }
    if (status == XTC_OK) {
        run.workload->finish();
        quiet.check(*run.world, run.workload->abandoned_tasks(), run.workload->complaints());
    } else {
        const bool unfinished = status == XTC_E_AGAIN || status == XTC_E_DEADLK;
        result.verdict = unfinished ? Verdict::liveness : Verdict::correctness;
        result.why.push_back(run.world->why());
    }
}

} // namespace

RunResult run_seed(uint64_t seed, MakeWorkload make, bool keep_trace) {
    RunResult result;
    Run run(seed, make, keep_trace);
    run_phases(run, result);
    if (!run.workload->complaints().none()) {
        result.verdict = Verdict::correctness;
        const auto& texts = run.workload->complaints().texts();
        result.why.insert(result.why.end(), texts.begin(), texts.end());
    }
    run.has_ended_well = result.verdict == Verdict::ok;
    result.trace_hash = run.world->trace.hash();
    result.state_hash = run.world->state_hash();
    result.virtual_ns = run.world->timeline.now();
    result.summary = run.workload->summary();
    if (keep_trace) result.trace = std::make_unique<Trace>(run.world->trace);
    return result;
}

} // namespace xtc::sim
