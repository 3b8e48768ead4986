// SPDX-License-Identifier: ISC
#include "nrt/device.hpp"

#include <new>

#include "nrt/device_lent.hpp"
#include "nrt/device_thread.hpp"
#include "seam/loop.h"

namespace xtc::nrt {

std::unique_ptr<Device> Device::make(xtc_loop_t* loop, uint32_t core) {
    void* self = nullptr;
    if (const xtc_seam_offload_t* lent = xtc_seam_loop_lent_offload(loop, &self))
        return std::unique_ptr<Device>(new (std::nothrow) DeviceLent(lent, self));
    return std::unique_ptr<Device>(new (std::nothrow) DeviceThread(core));
}

} // namespace xtc::nrt
