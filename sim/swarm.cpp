// SPDX-License-Identifier: ISC
#include "swarm.hpp"

#include <cinttypes>
#include <cstdio>

namespace xtc::sim {

namespace {

// Which faults exist comes first, how strong they are after it.
Ratio strength(Prng& draw, int64_t most_per_mille) {
    if (!draw.coin()) return {};
    return {static_cast<uint64_t>(draw.magnitude(1, most_per_mille)), 1000};
}

const char* name_of(Order order) {
    switch (order) {
    case Order::random:
        return "random";
    case Order::fifo:
        return "fifo";
    case Order::lifo:
        return "lifo";
    case Order::pessimal:
        return "pessimal";
    }
    return "?";
}

void append(std::string& text, const char* name, Ratio ratio) {
    if (ratio.never()) return;
    char part[64];
    std::snprintf(part, sizeof part, " %s=%" PRIu64 "/%" PRIu64, name, ratio.num, ratio.den);
    text += part;
}

void append(std::string& text, const char* name, const Span& span) {
    char part[96];
    std::snprintf(part, sizeof part, " %s=[%" PRId64 "..%" PRId64 "ns]", name, span.lo, span.hi);
    text += part;
}

} // namespace

Swarm draw_swarm(uint64_t seed) {
    Prng draw(seed, "SWARM");
    Swarm swarm;
    swarm.loops = draw.chance({1, 8}) ? 3 : 2;
    swarm.clients = static_cast<int>(draw.between(1, 6));
    swarm.requests = static_cast<int>(draw.magnitude(1, 40));
    swarm.safety_steps = draw.magnitude(200, 60'000);

    Knobs& knobs = swarm.knobs;
    constexpr Order orders[] = {Order::random, Order::random, Order::random,
                                Order::fifo,   Order::lifo,   Order::pessimal};
    knobs.order = draw.pick(orders);
    knobs.max_runs = static_cast<uint32_t>(draw.magnitude(1, 16));
    knobs.idle_turn = strength(draw, 200);
    knobs.spurious_wake = strength(draw, 200);
    knobs.stall = strength(draw, 20);
    knobs.stall_cost = {10'000, draw.magnitude(20'000, 5'000'000)};
    knobs.io_latency = {0, draw.magnitude(1, 2'000'000)};
    knobs.io_error = strength(draw, 20);
    knobs.short_io = strength(draw, 500);
    knobs.not_yet = strength(draw, 300);
    knobs.hold_back = strength(draw, 300);
    knobs.offload_delay = {0, draw.magnitude(1'000, 2'000'000)};
    knobs.offload_time = {0, draw.magnitude(1'000, 2'000'000)};
    knobs.offload_refused = strength(draw, 100);

    Harm& harm = swarm.harm;
    harm.hang = strength(draw, 50);
    harm.bad_token = strength(draw, 100);
    harm.callback_fails = strength(draw, 100);
    harm.callback_slow = strength(draw, 500);
    harm.callback_calls = strength(draw, 600);
    harm.block = strength(draw, 300);
    harm.cancel = strength(draw, 400);
    harm.kill = strength(draw, 900);
    harm.kill_driver = draw.chance({1, 6});
    harm.tiny_queues = draw.coin();
    harm.device_time = {0, draw.magnitude(1'000, 10'000'000)};
    return swarm;
}

std::string describe(const Swarm& swarm) {
    char head[160];
    std::snprintf(head, sizeof head,
                  "loops=%d clients=%d requests=%d safety_steps=%" PRId64 " order=%s max_runs=%" PRIu32,
                  swarm.loops, swarm.clients, swarm.requests, swarm.safety_steps, name_of(swarm.knobs.order),
                  swarm.knobs.max_runs);
    std::string text = head;
    const Knobs& knobs = swarm.knobs;
    text += "\n ";
    append(text, "idle_turn", knobs.idle_turn);
    append(text, "spurious_wake", knobs.spurious_wake);
    append(text, "stall", knobs.stall);
    if (!knobs.stall.never()) append(text, "stall_cost", knobs.stall_cost);
    append(text, "io_latency", knobs.io_latency);
    append(text, "io_error", knobs.io_error);
    append(text, "short_io", knobs.short_io);
    append(text, "not_yet", knobs.not_yet);
    append(text, "hold_back", knobs.hold_back);
    append(text, "offload_delay", knobs.offload_delay);
    append(text, "offload_time", knobs.offload_time);
    append(text, "offload_refused", knobs.offload_refused);
    const Harm& harm = swarm.harm;
    text += "\n ";
    append(text, "hang", harm.hang);
    append(text, "bad_token", harm.bad_token);
    append(text, "callback_fails", harm.callback_fails);
    append(text, "callback_slow", harm.callback_slow);
    append(text, "callback_calls", harm.callback_calls);
    append(text, "block", harm.block);
    append(text, "cancel", harm.cancel);
    append(text, "kill", harm.kill);
    if (harm.kill_driver) text += " kill_driver";
    if (harm.tiny_queues) text += " tiny_queues";
    append(text, "device_time", harm.device_time);
    return text;
}

Knobs healed(const Knobs& knobs) {
    Knobs calm;
    calm.order = knobs.order == Order::pessimal ? Order::random : knobs.order;
    calm.max_runs = knobs.max_runs;
    return calm;
}

} // namespace xtc::sim
