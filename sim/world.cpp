// SPDX-License-Identifier: ISC
#include "world.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/assert.hpp"
#include "base/rand.hpp"
#include "seam/loop.h"
#include "xtc.h"

namespace xtc::sim {

namespace {

// A loop that says it has work and handles nothing that often will never end by itself.
constexpr uint64_t too_many_idle_turns = 100'000;

// Several simulations may run at once, each on a thread of its own.
struct Worlds {
    std::mutex lock;
    std::map<const xtc_exec_t*, std::unique_ptr<World>> of;
};

Worlds& worlds() {
    static auto* const table = new Worlds; // outlives exit handlers
    return *table;
}

} // namespace

World::Side::Side(World& world, uint32_t its_index, xtc_loop_t* its_loop)
    : index(its_index), loop(its_loop),
      driver(index, world.timeline, world.streams, world.trace, world.knobs, world.fds),
      chooser(index, world.timeline, world.streams, world.trace, world.knobs) {}

World::World(xtc_exec_t* exec) : exec_(exec) {
    for (int i = 0; i < xtc_exec_n_loops(exec); i++) {
        sides_.push_back(std::make_unique<Side>(*this, static_cast<uint32_t>(i), xtc_exec_loop(exec, i)));
    }
}

int World::attach() {
    for (const auto& side : sides_) {
        const xtc_seam_parts_t parts = {
            .size = sizeof parts,
            .driver = &SimDriver::table,
            .driver_self = &side->driver,
            .chooser = &SimChooser::table,
            .chooser_self = &side->chooser,
            .offload = &SimOffload::table,
            .offload_self = &offload,
        };
        if (const int status = xtc_seam_loop_attach(side->loop, &parts); status != XTC_OK) return status;
        attached_++;
    }
    return XTC_OK;
}

World* World::find(const xtc_exec_t* exec) {
    const std::lock_guard hold(worlds().lock);
    const auto found = worlds().of.find(exec);
    return found == worlds().of.end() ? nullptr : found->second.get();
}

World* World::of(xtc_exec_t* exec) {
    if (World* const known = find(exec)) return known;
    auto made = std::unique_ptr<World>(new World(exec));
    if (made->attach() != XTC_OK) {
        XTC_ASSERT(made->attached_ == 0); // loops of one executor have all run or none has
        return nullptr;
    }
    World* const world = made.get();
    world->at_fini_ = {[](void* gone) { forget(static_cast<World*>(gone)->exec_); }, world, nullptr};
    xtc_seam_exec_at_fini(exec, &world->at_fini_);
    const std::lock_guard hold(worlds().lock);
    worlds().of[exec] = std::move(made);
    return world;
}

void World::forget(const xtc_exec_t* exec) {
    std::unique_ptr<World> gone;
    const std::lock_guard hold(worlds().lock);
    const auto found = worlds().of.find(exec);
    gone = std::move(found->second);
    worlds().of.erase(found);
}

// What the loops handed over to run off them is run, as by the pool; nobody waits for it any more.
World::~World() {
    while (offload.pending() > 0) {
        timeline.advance_to(timeline.next_time());
        timeline.run_due();
    }
}

bool World::awake(const Side& side) const {
    return side.driver.awake() || xtc_seam_loop_runnable(side.loop) != 0 ||
           xtc_seam_loop_deadline(side.loop) <= timeline.now();
}

bool World::at_rest() const {
    return offload.pending() == 0 && std::all_of(sides_.begin(), sides_.end(), [](const auto& side) {
               return xtc_seam_loop_live(side->loop) == 0;
           });
}

size_t World::ops_in_flight() const {
    size_t all = 0;
    for (const auto& side : sides_) all += side->driver.in_flight();
    return all;
}

bool World::jump() {
    int64_t next = timeline.next_time();
    for (const auto& side : sides_) next = std::min(next, xtc_seam_loop_deadline(side->loop));
    if (next == Timeline::never) return false;
    timeline.advance_to(next);
    trace.note(timeline.now(), Trace::no_loop, static_cast<uint32_t>(Mark::jump), static_cast<uint64_t>(next),
               0);
    return true;
}

void World::disturb() {
    Prng& draw = streams[Stream::sched];
    if (draw.chance(knobs.spurious_wake)) xtc_loop_wake(sides_[draw.below(sides_.size())]->loop);
    if (draw.chance(knobs.idle_turn)) turn(*sides_[draw.below(sides_.size())]);
}

World::Side& World::pick(const std::vector<uint32_t>& ready) {
    Prng& draw = streams[Stream::sched];
    if (knobs.order == Order::pessimal) {
        if (std::find(ready.begin(), ready.end(), pinned_) == ready.end())
            pinned_ = ready[draw.below(ready.size())];
        return *sides_[pinned_];
    }
    return *sides_[ready[draw.below(ready.size())]];
}

uint32_t World::turn(Side& side) {
    Prng& draw = streams[Stream::sched];
    const auto max_runs = static_cast<uint32_t>(draw.between(1, knobs.max_runs));
    const int handled = xtc_seam_loop_turn(side.loop, max_runs);
    trace.note(timeline.now(), side.index, static_cast<uint32_t>(Mark::turn), max_runs,
               static_cast<uint64_t>(handled));
    const bool stalls = draw.chance(knobs.stall);
    const Span& cost = stalls ? knobs.stall_cost : knobs.turn_cost;
    timeline.advance(draw.between(cost.lo, cost.hi));
    return static_cast<uint32_t>(handled);
}

int World::check() const {
    for (const auto& side : sides_) {
        if (xtc_seam_loop_check(side->loop) != XTC_OK) return XTC_E_INTERNAL;
    }
    return XTC_OK;
}

uint64_t World::state_hash() const {
    uint64_t hash = static_cast<uint64_t>(timeline.now());
    for (const auto& side : sides_) {
        hash ^= xtc_seam_loop_hash(side->loop);
        hash = splitmix64(hash);
    }
    hash ^= fds.open_count();
    return splitmix64(hash);
}

int World::finish(int status, std::string why) {
    xtc_seam_forbid_thread_block(0);
    xtc_seam_set_thread_clock(nullptr, nullptr);
    for (const auto& side : sides_) side->driver.set_paced(false);
    xtc_seam_exec_end_run(exec_);
    why_ = std::move(why);
    return status;
}

int World::run(uint64_t seed, int64_t max_steps) {
    if (xtc_seam_exec_begin_run(exec_) != XTC_OK) return XTC_E_INVAL;
    if (!has_run_ || seed != streams.seed()) {
        streams = Streams(seed);
        xtc_rand_seed(Prng::derive(seed, "RAND")); // this thread's, so every loop's
    }
    has_run_ = true;
    xtc_seam_forbid_thread_block(1);
    xtc_seam_set_thread_clock([](void* self) { return static_cast<Timeline*>(self)->now(); }, &timeline);
    for (const auto& side : sides_) side->driver.set_paced(true);

    if (steps_ == 0) {
        for (const auto& side : sides_) turn(*side); // from here on none of them counts as new
    }
    std::vector<uint32_t> ready;
    for (int64_t used = 0;;) {
        if (xtc_seam_exec_take_stop(exec_) != 0) return finish(XTC_OK, "");
        timeline.run_due();
        ready.clear();
        for (uint32_t i = 0; i < sides_.size(); i++) {
            if (awake(*sides_[i])) ready.push_back(i);
        }
        if (ready.empty()) {
            if (at_rest()) return finish(XTC_OK, "");
            if (!jump()) return finish(XTC_E_DEADLK, "work is left and nothing can wake it");
            continue;
        }
        if (max_steps > 0 && used >= max_steps) return finish(XTC_E_AGAIN, "steps used up");
        used++;
        steps_++;
        disturb();
        idle_turns_ = turn(pick(ready)) == 0 ? idle_turns_ + 1 : 0;
        if (idle_turns_ > too_many_idle_turns)
            return finish(XTC_E_INTERNAL, "turns without end handle nothing");
        if (check() != XTC_OK) return finish(XTC_E_INTERNAL, "a loop's invariant is broken");
        if (step_check_ && !step_check_()) return finish(XTC_E_INTERNAL, "the workload's check failed");
    }
}

} // namespace xtc::sim
