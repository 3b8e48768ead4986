// SPDX-License-Identifier: ISC
//
// The NRT_STATUS codes a package can end in, under the numbers of the ABI.
#pragma once

#include <cstdint>

namespace xtc::nrt {

enum class Status : int32_t {
    success = 0,
    failure = 1,
    invalid = 2,
    resource = 4,
    unsupported_neff_version = 10,
    exec_bad_input = 1002,
    exec_completed_with_num_err = 1003,
    exec_completed_with_err = 1004,
    exec_hw_err_nc_ue = 1202,
};

// "NRT_INVALID" for 2; nullptr for a number that is no NRT_STATUS.
const char* status_name(int32_t code) noexcept;

} // namespace xtc::nrt
