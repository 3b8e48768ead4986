// SPDX-License-Identifier: ISC
#pragma once
#include "seam/driver.h"
namespace xtc {
enum class Backend { epoll, uring };
struct DriverRef { const xtc_seam_driver_t* table = nullptr; void* self = nullptr; };
int driver_choose(Backend* out, void (*sentence)(void*, const char*), void*);
int driver_make(Backend, DriverRef* out);
const char* backend_name(Backend);
}
