// SPDX-License-Identifier: ISC
// Which of two statuses an execution made of several parts ends with.
#pragma once

#include <nrt/nrt_status.h>

namespace xtc::nrt {

enum class Severity { none, medium, high, critical };

constexpr Severity severity_of(NRT_STATUS status) noexcept {
    switch (status) {
    case NRT_SUCCESS:
        return Severity::none;
    case NRT_TIMEOUT:
    case NRT_HW_ERROR:
    case NRT_EXEC_HW_ERR_COLLECTIVES:
    case NRT_EXEC_SW_NQ_OVERFLOW:
    case NRT_NETWORK_PROXY_FAILURE:
        return Severity::high;
    default:
        return status >= NRT_EXEC_COMPLETED_WITH_ERR && status < NRT_NETWORK_PROXY_FAILURE
                   ? Severity::critical
                   : Severity::medium;
    }
}

// The first of equally severe ones stays.
constexpr NRT_STATUS worse(NRT_STATUS first, NRT_STATUS second) noexcept {
    return severity_of(second) > severity_of(first) ? second : first;
}

} // namespace xtc::nrt
