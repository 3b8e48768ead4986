// SPDX-License-Identifier: ISC
#include "swarm.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace xtc::sim;

TEST_CASE("swarm: a seed's options are always the same, and are all in their description") {
    CHECK(describe(draw_swarm(11)) == describe(draw_swarm(11)));
    CHECK(describe(draw_swarm(11)) != describe(draw_swarm(12)));
}

TEST_CASE("swarm: each fault is there in some runs and not in others") {
    int hang = 0, cancel = 0, idle = 0, refused = 0, kill_driver = 0, tiny = 0;
    constexpr int seeds = 400;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        const Swarm swarm = draw_swarm(seed);
        hang += swarm.harm.hang.never() ? 0 : 1;
        cancel += swarm.harm.cancel.never() ? 0 : 1;
        idle += swarm.knobs.idle_turn.never() ? 0 : 1;
        refused += swarm.knobs.offload_refused.never() ? 0 : 1;
        kill_driver += swarm.harm.kill_driver ? 1 : 0;
        tiny += swarm.harm.tiny_queues ? 1 : 0;
    }
    for (const int count : {hang, cancel, idle, refused, kill_driver, tiny}) {
        CHECK(count > seeds / 12);
        CHECK(count < seeds * 11 / 12);
    }
}

TEST_CASE("swarm: a healed world has no fault left") {
    for (uint64_t seed = 0; seed < 100; seed++) {
        const Knobs knobs = healed(draw_swarm(seed).knobs);
        for (const xtc::Ratio ratio :
             {knobs.idle_turn, knobs.spurious_wake, knobs.stall, knobs.io_error, knobs.short_io,
              knobs.not_yet, knobs.hold_back, knobs.offload_refused}) {
            CHECK(ratio.never());
        }
        CHECK(knobs.order != Order::pessimal);
    }
}
