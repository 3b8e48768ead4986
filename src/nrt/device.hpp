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

    // Nothing is started yet. Empty: no memory.
    static std::unique_ptr<Device> make(xtc_loop_t* loop, uint32_t core);
};

} // namespace xtc::nrt
