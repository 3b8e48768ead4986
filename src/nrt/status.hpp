// SPDX-License-Identifier: ISC
#pragma once

#include <nrt/nrt_status.h>

namespace xtc::nrt {

// What a client is told about an XTC_E_* of the library below.
NRT_STATUS status_of(int xtc_error) noexcept;

} // namespace xtc::nrt
