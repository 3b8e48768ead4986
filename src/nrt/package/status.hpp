// SPDX-License-Identifier: ISC
//
// The NRT_STATUS codes a package can end in, and the names of all.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>

namespace xtc::nrt {

enum class Status : int32_t {
    success = NRT_SUCCESS,
    failure = NRT_FAILURE,
    invalid = NRT_INVALID,
    resource = NRT_RESOURCE,
    unsupported_neff_version = NRT_UNSUPPORTED_NEFF_VERSION,
    exec_bad_input = NRT_EXEC_BAD_INPUT,
    exec_completed_with_num_err = NRT_EXEC_COMPLETED_WITH_NUM_ERR,
    exec_completed_with_err = NRT_EXEC_COMPLETED_WITH_ERR,
    exec_hw_err_nc_ue = NRT_EXEC_HW_ERR_NC_UE,
};

// "NRT_INVALID" for 2; nullptr for a number that is no NRT_STATUS.
const char* status_name(int32_t code) noexcept;

} // namespace xtc::nrt
