// SPDX-License-Identifier: ISC
// Which accelerators a machine has, read from its device and sysfs trees.
#pragma once

#include <vector>

#include "xtc_accel.h"

namespace xtc {

// `root` stands before /dev and /sys: "" is this machine, anything else a test's.
// In order of kind, then number. Throws std::bad_alloc.
std::vector<xtc_accel_dev_t> find_devices(const char* root);

// The NUMA node of a device by its short name; -1 when unknown.
int device_node(const char* root, const char* name);

} // namespace xtc
