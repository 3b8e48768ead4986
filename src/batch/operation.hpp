// SPDX-License-Identifier: ISC
#pragma once

#include "batch/group.hpp"

namespace xtc {

// One iteration of an asynchronous group: submit, await the token, collect. On the driver.
void run_operation(Group& group, Task& driver);

// The driver left while an operation was outstanding: the application is told its fate, once.
void abandon_operation(Group& group);

} // namespace xtc
