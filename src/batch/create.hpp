// SPDX-License-Identifier: ISC
#pragma once

#include "batch/group.hpp"

namespace xtc {

// What both kinds of options say, checked and complete.
struct GroupPlan {
    Callbacks callbacks;
    GroupLimits limits;
    xtc_exec_class_t sched_class = nullptr;
};

// Allocates and charges all that the plan needs, then makes the driver; on failure nothing is left.
// XTC_E_INVAL, XTC_E_RANGE, XTC_E_AGAIN, XTC_E_NOMEM, XTC_E_RESOURCE.
int create_group(Group& group, Loop& loop, const GroupPlan& plan);

// Gives back what create charged. The driver is gone.
void release_group(Group& group);

} // namespace xtc
