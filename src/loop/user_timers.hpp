// SPDX-License-Identifier: ISC
// The timers behind xtc_timer_set: records found by a handle that goes stale when they fire or are cancelled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loop/timers.hpp"
#include "loop/token.hpp"
#include "xtc_loop.h"

namespace xtc {

class Loop;

struct UserTimer : TimerNode {
    Loop* loop = nullptr;
    xtc_timer_fn fn = nullptr;
    void* user = nullptr;
    uint32_t slot = 0;
    uint32_t gen = 0;
    UserTimer* next_free = nullptr;
};

class UserTimers {
public:
    UserTimer* take(); // nullptr: out of memory
    void give(UserTimer& timer);
    UserTimer* find(uint32_t slot, uint32_t gen); // nullptr: stale
    uint32_t count() const { return static_cast<uint32_t>(chunks_.size()) * kChunk; }

private:
    static constexpr uint32_t kChunk = 64;
    std::vector<std::unique_ptr<UserTimer[]>> chunks_;
    UserTimer* free_ = nullptr;
};

} // namespace xtc
