// SPDX-License-Identifier: ISC
//
// The driver process of a group.
#pragma once

#include "batch/group.hpp"

namespace xtc {

// Makes the driver; the group is published to it. XTC_OK or why there is none.
int spawn_driver(Group& group);

// No more requests, from anywhere; the driver looks at its next boundary. mode: DRAIN or CANCEL.
void close_group(Group& group, int mode);

// The driver is about to leave before its time: nothing is taken in and nothing runs any more.
void begin_exit(Group& group);

bool is_driver(const Group& group, const Task& task);
bool is_driver_gone(const Group& group); // from the process table

} // namespace xtc
