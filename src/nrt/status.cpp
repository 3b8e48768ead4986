// SPDX-License-Identifier: ISC
#include "nrt/status.hpp"

#include "nrt/package/status.hpp"

#include <xtc.h>

namespace xtc::nrt {

NRT_STATUS status_of(int xtc_error) noexcept {
    switch (xtc_error) {
    case XTC_OK:
        return NRT_SUCCESS;
    case XTC_E_INVAL:
        return NRT_INVALID;
    case XTC_E_AGAIN:
        return NRT_TIMEOUT;
    case XTC_E_NOMEM:
    case XTC_E_RESOURCE:
        return NRT_RESOURCE;
    default:
        return NRT_FAILURE;
    }
}

} // namespace xtc::nrt

const char* nrt_get_status_as_str(NRT_STATUS status) {
    const char* name = xtc::nrt::status_name(status);
    return name != nullptr ? name : "UNKNOWN";
}
