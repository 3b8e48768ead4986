// SPDX-License-Identifier: ISC
// The thread nrt-dev/N of a core. Runs kernels and nothing else, so that a long one delays no fiber.
#pragma once

#include <xtc_sync.h>

#include <atomic>

#include "base/thread.hpp"
#include "nrt/device.hpp"

namespace xtc::nrt {

class DeviceThread final : public Device {
public:
    explicit DeviceThread(uint32_t core) : core_(core) {}
    ~DeviceThread() override;

    Outcome run(Execution& execution) override; // the thread is made for the first kernel
    void stop() noexcept override;

private:
    int start();
    static void serve(void* self);

    const uint32_t core_;
    Thread thread_;
    xtc_notify_t* asked_ = nullptr;
    xtc_notify_t* ended_ = nullptr;
    std::atomic<Execution*> kernel_{nullptr}; // nullptr when asked: end
    Outcome outcome_;
};

} // namespace xtc::nrt
