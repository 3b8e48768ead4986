// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>

#include "base/prng.hpp"

namespace xtc::sim {

// Inclusive, nanoseconds.
struct Span {
    int64_t lo = 0;
    int64_t hi = 0;
};

enum class Order : uint8_t {
    random,  // any of the ready
    fifo,    // as in production
    lifo,    // the youngest first
    pessimal // one pinned loop as long as it has something to do, its youngest task first
};

// How unfriendly the world is. The default is the friendly one of the liveness phase: time passes, orders
// vary, nothing fails.
struct Knobs {
    Order order = Order::random;
    uint32_t max_runs = 8;    // runs in one turn: 1..max_runs
    Span turn_cost{100, 900}; // what a turn takes of the virtual clock

    Ratio idle_turn{};     // a turn for a loop that sleeps: a wait that ended early for no reason
    Ratio spurious_wake{}; // xtc_loop_wake on a loop nobody meant
    Ratio stall{};         // a turn that takes stall_cost
    Span stall_cost{};

    Span io_latency{0, 20'000}; // from done to seen
    Ratio io_error{};           // a receive or send that fails with -ECONNRESET
    Ratio short_io{};           // fewer bytes than could be
    Ratio not_yet{};            // try_op says it would block although it would not
    Ratio hold_back{};          // wait returns a part of what is done

    Span offload_delay{1'000, 50'000}; // until the closure begins
    Span offload_time{1'000, 200'000}; // until its end is told
    Ratio offload_refused{};
};

} // namespace xtc::sim
