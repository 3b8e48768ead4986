// SPDX-License-Identifier: ISC
//
// A run as data: what the group is made with and what is done to it, step by step. All numbers are small,
// zero is always the plainest choice, and any step may be left out, so that a long script can be cut down.
#pragma once

#include "batch/model/model.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

enum class Act : uint8_t {
    submit,    // charge, malformed (1 no out, 2 foreign loop, 3 no loop)
    submit_mt, // charge, malformed (1 no out)
    cancel,    // handle, malformed (2 foreign loop, 3 no loop)
    cancel_mt, // handle
    resume,    // handle, malformed
    resume_mt, // handle
    close,     // mode, malformed
    destroy,   // malformed
    stats,     // malformed (1 NULL, 2 foreign loop, 3 version, 4 size)
    turn,      // see Turn
    advance,   // nanoseconds
    resolve,   // how: see Resolve
    kill,      //
    stall,     // charge: a hand-in whose producer is held up between place and entry
    unstall,   //
    nudge      // 0 mail to the driver, 1 a wake for nothing
};
inline constexpr int kActs = 16;

// Arguments of a turn of the loop: what callbacks do in it.
namespace Turn {
enum : size_t {
    token,         // of submit: see TokenChoice
    state,         // four of them: of members 0, 1, 2, 3 modulo 4
    vector_rc = 5, // of step or submit: see Answer
    collect_rc,
    call_in, // a callback in which a call is made: see In
    call,    // which: an Act
    argument,
    yield_in,
    exit_in
};
}
enum class In : int { none, vector, collect, complete, hint };
enum class StateChoice : int { done, goes_on, blocked, error, bad_error, unset, invalid };
enum class Answer : int { ok, error, no_error };
enum class TokenChoice : int {
    sync,
    future,
    fence,
    blocking,
    ready_future,
    ready_fence,
    unknown,
    no_future,
    no_fence,
    closed_fence,
    refused_closure,
    no_closure
};
enum class Resolve : int { ok, negative, positive, drop, late };

inline constexpr size_t kArguments = 12;

struct Step {
    Act act = Act::turn;
    std::array<int, kArguments> a = {};
    bool operator==(const Step&) const = default;
};

// The group, as numbers that can be cut down like those of a step.
namespace Make {
enum : size_t { async, capacity, max_active, units, mt, timeout, hint, near_the_end };
}
inline constexpr size_t kMakes = 8;

struct Script {
    std::array<int, kMakes> make = {};
    std::vector<Step> steps;
    Limits limits() const;
};

std::string in_c(const Script& script); // the making of the group, as C
std::string in_c(const Step& step);     // one line
std::string act_name(Act act);
std::string code_name(int code);

} // namespace model
