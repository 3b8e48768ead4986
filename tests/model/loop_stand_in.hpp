// SPDX-License-Identifier: ISC
// A loop for models of what wakes a fiber: one fiber, which is a thread of the model, and an inbox that ends
// the fiber's sleep. That nothing is slept over between inbox and driver is another model's (inbox_test.cpp).
#pragma once

#include "base/atomic.hpp"
#include "loop/inbox.hpp"
#include "loop/task.hpp"

namespace xtc::model {

struct LoopStandIn {
    LoopStandIn();

    Inbox inbox;
    atomic<uint32_t> posted{0}; // the driver: slept on
    Task task;                  // the fiber
    uint32_t stale_wakes = 0;
};

} // namespace xtc::model
