// SPDX-License-Identifier: ISC
#include "nrt/device.hpp"

#include <xtc.h>

#include <new>

#include "nrt/device_lent.hpp"
#include "nrt/device_thread.hpp"
#include "nrt/execution.hpp"
#include "seam/loop.h"

namespace xtc::nrt {

namespace {

class OwnThread final : public Device {
public:
    explicit OwnThread(uint32_t core) : thread_(core) {}

    Outcome run(Execution& execution) override {
        kernel_.execution = &execution;
        kernel_.has_run = false;
        if (thread_.run(Kernel::run, &kernel_) != NRT_SUCCESS) return {Status::resource, false};
        return kernel_.outcome;
    }
    void stop() noexcept override { thread_.stop(); }
    bool end_early(Outcome* outcome) noexcept override {
        thread_.end_early();
        *outcome = kernel_.outcome;
        return kernel_.has_run;
    }

private:
    // Not on the worker's stack, which an executor that ends early drops.
    struct Kernel {
        Execution* execution = nullptr;
        Outcome outcome;
        bool has_run = false;
        static void run(void* arg) {
            const Sleeper sleeper{[](void*, int64_t ns) { xtc_sleep_ns(ns); }, nullptr};
            auto* kernel = static_cast<Kernel*>(arg);
            kernel->outcome = kernel->execution->run(sleeper);
            kernel->has_run = true;
        }
    };

    Kernel kernel_;
    DeviceThread thread_;
};

} // namespace

std::unique_ptr<Device> Device::make(xtc_loop_t* loop, uint32_t core) {
    void* self = nullptr;
    if (const xtc_seam_offload_t* lent = xtc_seam_loop_lent_offload(loop, &self))
        return std::unique_ptr<Device>(new (std::nothrow) DeviceLent(lent, self));
    return std::unique_ptr<Device>(new (std::nothrow) OwnThread(core));
}

} // namespace xtc::nrt
