// SPDX-License-Identifier: ISC
//
// The one place that turns what the application said, and what became of the operation, into what becomes of
// a member. Pure; inline, because handing a Fate over in memory costs more than finding it.
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

    static constexpr Fate goes_on(MemberState next) { return {next, XTC_OK, Ending::completed}; }
    static constexpr Fate succeeds() { return {MemberState::finished, XTC_OK, Ending::completed}; }
    static constexpr Fate is_cancelled() { return {MemberState::finished, XTC_E_ABORTED, Ending::cancelled}; }
    static constexpr Fate fails(int outcome) { return {MemberState::finished, outcome, Ending::failed}; }
};

constexpr bool is_error_code(int code) { // an existing XTC_E_*
    return code <= XTC_E_INVAL && code >= XTC_E_IO;
}
constexpr int checked_error(int error) {
    return is_error_code(error) ? error : static_cast<int>(XTC_E_INTERNAL);
}

constexpr Fate fate_of(const Member& m, const xtc_batch_result_t& result, Report report) {
    if (m.cancelled) return Fate::is_cancelled();
    if (report.exec_status == XTC_BATCH_EXEC_ABORTED) return Fate::is_cancelled();
    if (report.exec_status < 0) return Fate::fails(report.exec_status);
    if (report.rc != 0) return Fate::fails(checked_error(report.rc));

    const bool timed_out = report.exec_status == XTC_BATCH_EXEC_TIMEOUT;
    switch (result.state) {
    case XTC_BATCH_DONE:
        return Fate::succeeds();
    case XTC_BATCH_ERROR:
        return Fate::fails(checked_error(result.error));
    // After a timeout the device may still own the member's buffers, so it can not be run again.
    case XTC_BATCH_CONTINUE:
        return timed_out ? Fate::fails(XTC_E_AGAIN) : Fate::goes_on(MemberState::ready);
    case XTC_BATCH_BLOCKED:
        if (timed_out) return Fate::fails(XTC_E_AGAIN);
        return Fate::goes_on(m.resumed ? MemberState::ready : MemberState::blocked);
    case XTC_BATCH_UNSET:
        return Fate::fails(timed_out ? XTC_E_AGAIN : XTC_E_INTERNAL);
    default:
        return Fate::fails(XTC_E_INTERNAL);
    }
}

// A member that the driver left behind.
constexpr Fate fate_of_abandoned(const Member& m) {
    return m.cancelled ? Fate::is_cancelled() : Fate::fails(XTC_E_INTERNAL);
}

} // namespace xtc
