// SPDX-License-Identifier: ISC
#include "batch/outcome.hpp"

namespace xtc {

namespace {

constexpr Fate goes_on(MemberState next) {
    return {next, XTC_OK, Ending::completed};
}
constexpr Fate succeeds() {
    return {MemberState::finished, XTC_OK, Ending::completed};
}
constexpr Fate is_cancelled() {
    return {MemberState::finished, XTC_E_ABORTED, Ending::cancelled};
}
constexpr Fate fails(int outcome) {
    return {MemberState::finished, outcome, Ending::failed};
}

int checked(int error) {
    return is_error_code(error) ? error : static_cast<int>(XTC_E_INTERNAL);
}

} // namespace

bool is_error_code(int code) {
    return code <= XTC_E_INVAL && code >= XTC_E_IO;
}

Fate fate_of(const Member& m, const xtc_batch_result_t& result, Report report) {
    if (m.cancelled) return is_cancelled();
    if (report.exec_status == XTC_BATCH_EXEC_ABORTED) return is_cancelled();
    if (report.exec_status < 0) return fails(report.exec_status);
    if (report.rc != 0) return fails(checked(report.rc));

    const bool timed_out = report.exec_status == XTC_BATCH_EXEC_TIMEOUT;
    switch (result.state) {
    case XTC_BATCH_DONE:
        return succeeds();
    case XTC_BATCH_ERROR:
        return fails(checked(result.error));
    // After a timeout the device may still own the member's buffers, so it can not be run again.
    case XTC_BATCH_CONTINUE:
        return timed_out ? fails(XTC_E_AGAIN) : goes_on(MemberState::ready);
    case XTC_BATCH_BLOCKED:
        if (timed_out) return fails(XTC_E_AGAIN);
        return goes_on(m.resumed ? MemberState::ready : MemberState::blocked);
    case XTC_BATCH_UNSET:
        return fails(timed_out ? XTC_E_AGAIN : XTC_E_INTERNAL);
    default:
        return fails(XTC_E_INTERNAL);
    }
}

Fate fate_of_abandoned(const Member& m) {
    return m.cancelled ? is_cancelled() : fails(XTC_E_INTERNAL);
}

} // namespace xtc
