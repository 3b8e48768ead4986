// SPDX-License-Identifier: ISC
// Where kernels of one core run: its own thread, or, where an executor was lent another implementation of
// Offload, that.
#pragma once

#include <xtc_loop.h>

#include <cstdint>
#include <memory>

#include "nrt/package/builtin.hpp"

namespace xtc::nrt {

class Execution;

class Device {
public:
    virtual ~Device() = default;
    // On the worker's fiber, which parks until the kernel has ended.
    virtual Outcome run(Execution& execution) = 0;
    // Nothing runs. Joins what there is to join.
    virtual void stop() noexcept {}
    // The worker stands still in run(), or will never come back from it. A kernel that has begun ends first,
    // and *outcome is its own; false: it had not begun, and never will.
    virtual bool end_early(Outcome* outcome) noexcept = 0;

    // Nothing is started yet. Empty: no memory.
    static std::unique_ptr<Device> make(xtc_loop_t* loop, uint32_t core);
};

} // namespace xtc::nrt
