// SPDX-License-Identifier: ISC
//
// Memory nodes as sysfs tells them. `root` stands before /sys: "" is this machine, anything else a test's.
#pragma once

namespace xtc {

int node_count(const char* root);           // at least 1
int node_of_cpu(const char* root, int cpu); // 0 where it is not known

} // namespace xtc
