// SPDX-License-Identifier: ISC
//
// What happens between vectors, and while an operation is awaited: what came over the ring is taken in,
// cancels are carried out, the next in line are admitted.
#pragma once

#include "batch/group.hpp"

namespace xtc {

// Takes in what was asked of the group since the last time: a close(CANCEL), and what other threads handed
// over. False: an entry is still being written, and what lies behind it has to wait. Calls nobody back.
bool take_in(Group& group);

// Records a cancel: a member in flight ends when its operation is collected, any other at the next boundary.
void record_cancel(Group& group, Member& m);
// A blocked member is ready, one in flight remembers it. False: it is neither, nor ready already.
bool record_resume(Group& group, Member& m);

// Ends what was cancelled and is not in flight. True if somebody was told. On the driver.
bool carry_out_cancels(Group& group);

// All of it, in order, and then admission. On the driver.
void pass_boundary(Group& group);

} // namespace xtc
