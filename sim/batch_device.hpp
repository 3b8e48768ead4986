// SPDX-License-Identifier: ISC
#pragma once

#include "batch_app.hpp"

namespace xtc::sim {

// One operation on the device. The group may give up waiting for it; it is over when the device says so.
struct BatchApp::Op {
    BatchApp* app = nullptr;
    uint64_t id = 0;
    int kind = 0;
    int fd = -1;
    xtc_promise_t* promise = nullptr;
    int64_t latency = 0;
    bool hangs = false;  // until the world is healed, or somebody hints
    bool is_bad = false; // its token does not end well
    bool hinted = false;
    bool device_done = false;
    bool collected = false;
};

} // namespace xtc::sim
