// SPDX-License-Identifier: ISC
#pragma once

#include "batch/group.hpp"

namespace xtc {

// Closes with DRAIN, after timeout_ns with CANCEL, and returns when the driver has left the process table. On
// a fiber of the owner loop that is not the driver; the group may be destroyed by somebody else once it is
// gone.
void drain_for(Group& group, Task& self, int64_t timeout_ns);

} // namespace xtc
