// SPDX-License-Identifier: ISC
//
// The one place that turns what the application said, and what became of the operation, into what becomes of
// a member. Pure.
#pragma once

#include "batch/member.hpp"

#include <xtc_batch.h>

namespace xtc {

// What step or collect returned, and the exec_status collect was told (a step's is XTC_BATCH_EXEC_OK).
struct Report {
    int rc;
    int exec_status;
};

struct Fate {
    MemberState next; // ready, blocked or finished
    int outcome;      // of a finished one
    Ending ending;
};

bool is_error_code(int code); // an existing XTC_E_*

Fate fate_of(const Member& m, const xtc_batch_result_t& result, Report report);

// A member that the driver left behind.
Fate fate_of_abandoned(const Member& m);

} // namespace xtc
