// SPDX-License-Identifier: ISC
// Starts a process that runs a closure. JSON and HTTP take more stack than most fibers need, and address
// space that is not touched costs nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <xtc.h>
#include <xtc_proc.h>

namespace serve {

inline constexpr std::size_t process_stack_bytes = 256 * 1024;

template <class Body> int spawn(xtc_loop_t* loop, const char* name, Body body) {
    xtc_proc_opts2_t opts = {};
    opts.size = sizeof opts;
    opts.version = XTC_PROC_OPTS2_VERSION;
    opts.name = name;
    opts.stack_size = process_stack_bytes;
    auto held = std::make_unique<Body>(std::move(body));
    const auto run = [](void* arg) {
        const std::unique_ptr<Body> mine(static_cast<Body*>(arg));
        (*mine)();
    };
    const int status = xtc_proc_spawn_ex(loop, run, held.get(), &opts, nullptr);
    if (status == XTC_OK) held.release();
    return status;
}

} // namespace serve
