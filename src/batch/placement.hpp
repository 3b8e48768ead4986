// SPDX-License-Identifier: ISC
//
// Which loop is near a device. Advice from static topology, never an error.
#pragma once

#include <xtc_accel.h>

namespace xtc {

// The NUMA node the kernel names for the device; -1 if it names none. sysfs is "/sys" but in tests.
int numa_node_of_device(const char* sysfs, const xtc_accel_dev_t& device);

// The first loop on that node, or 0. node_of_loop[i] is -1 where it is not known.
int nearest_loop(int device_node, const int* node_of_loop, int n_loops);

} // namespace xtc
