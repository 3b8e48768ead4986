// SPDX-License-Identifier: ISC
//
// The library's own sentences.
#pragma once

#include <xtc_export.h>

namespace xtc {

// Into the default log, if the host made one; otherwise nowhere. level is an XTC_LOG_*.
XTC_PRINTF(2, 3) void log_sentence(int level, const char* fmt, ...);

} // namespace xtc
