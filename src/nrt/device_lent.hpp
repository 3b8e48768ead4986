// SPDX-License-Identifier: ISC
// Kernels as closures of a lent Offload: the simulator runs them on its one thread, at times of its choice.
#pragma once

#include <xtc_sync.h>

#include <cstdint>

#include "nrt/device.hpp"
#include "seam/offload.h"

namespace xtc::nrt {

class DeviceLent final : public Device {
public:
    DeviceLent(const xtc_seam_offload_t* offload, void* self) : offload_(offload), self_(self) {}
    ~DeviceLent() override;

    Outcome run(Execution& execution) override;
    bool end_early(Outcome* outcome) noexcept override;

private:
    // Not on the worker's stack, which an executor that ends early drops.
    struct Job : xtc_offload_job_t {
        Execution* execution = nullptr; // NULL: nobody wants it any more
        Outcome outcome;
        bool has_run = false;
        int64_t sleep_ns = 0;
    };
    static int run_job(void* job);

    const xtc_seam_offload_t* const offload_;
    void* const self_;
    xtc_notify_t* ended_ = nullptr;
    Job job_{};
};

} // namespace xtc::nrt
