// SPDX-License-Identifier: ISC
// A core's own thread, for kernels: they may run long, and a loop must not wait for them. It is made on first
// use.
#pragma once

#include <nrt/nrt_status.h>

#include <atomic>
#include <cstdint>

#include "base/thread.hpp"
#include "nrt/notify.hpp"

namespace xtc::nrt {

class DeviceThread {
public:
    explicit DeviceThread(uint32_t core) noexcept : core_(core) {}
    ~DeviceThread() { stop(); }
    DeviceThread(const DeviceThread&) = delete;
    DeviceThread& operator=(const DeviceThread&) = delete;

    // Runs kernel(arg) on the thread and parks the calling fiber, the core's one compute worker, until it has
    // returned. NRT_RESOURCE: there is no thread, and nothing ran.
    NRT_STATUS run(void (*kernel)(void* arg), void* arg);
    void stop(); // joins; no kernel is running
    // Joins, while the worker stands still in run(): a kernel that has begun ends first, another one never
    // begins. The worker goes on if its loop does.
    void end_early();

private:
    NRT_STATUS start();
    static void enter(void* self);
    void work();

    const uint32_t core_;
    Thread thread_;
    Notify given_;
    Notify done_;
    bool is_made_ = false;
    void (*kernel_)(void*) = nullptr; // the bells order it
    void* arg_ = nullptr;
    std::atomic<bool> is_ending_{false};
};

} // namespace xtc::nrt
