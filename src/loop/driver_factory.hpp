// SPDX-License-Identifier: ISC
// Which driver a loop gets.
#pragma once

#include "loop/refusal.hpp"
#include "seam/driver.h"

namespace xtc {

enum class Backend {
    uring,      // epoll takes its place if the first run finds that there is no ring to be had after all
    uring_only, // asked for by name
    epoll,
};

struct DriverRef {
    const xtc_seam_driver_t* table = nullptr;
    void* self = nullptr;
};

// What XTC_IO_BACKEND asks for and this machine has. XTC_OK; XTC_E_NOSYS: uring was forced and is refused;
// XTC_E_INVAL: an unknown word. A throw-away ring is made each time, so that a changed machine is noticed.
int driver_choose(Backend* out, const Teller& tell) noexcept;

// XTC_OK, XTC_E_NOMEM or XTC_E_RESOURCE. Makes no ring yet; `tell` is used for as long as the driver lives.
int driver_make(Backend backend, const Teller& tell, DriverRef* out) noexcept;

// "uring" or "epoll".
const char* backend_name(Backend backend) noexcept;
// The same for a driver of driver_make, which may have fallen back.
const char* backend_name(const DriverRef& driver) noexcept;

} // namespace xtc
