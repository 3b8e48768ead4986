// SPDX-License-Identifier: ISC
#pragma once

#include "batch/group.hpp"
#include "batch/outcome.hpp"

namespace xtc {

// Records what becomes of a member; nobody is told yet.
inline void settle_fate(Group& group, Member& m, const Fate& fate) {
    switch (fate.next) {
    case MemberState::ready:
        return group.members.to_ready(m);
    case MemberState::blocked:
        return group.members.to_blocked(m);
    default:
        return group.members.finish(m, fate.outcome, fate.ending);
    }
}

// Tells the application of every recorded end, each exactly once, and then frees its slot or record. True if
// there was one. On the driver.
bool deliver_finished(Group& group);

// Hand-ins that are held take the slots that are free, in order of arrival.
void give_slots(Group& group);

} // namespace xtc
