// SPDX-License-Identifier: ISC
#pragma once

#include "batch/group.hpp"
#include "batch/outcome.hpp"

namespace xtc {

// Freezes the ready members into the vector.
void fill_vector(Group& group);

// What the application said becomes the members' fate, all of it before anybody is told; then they are told.
void record_results(Group& group, Report report);

// One iteration of a synchronous group. On the driver.
void run_step(Group& group);

} // namespace xtc
