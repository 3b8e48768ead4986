// SPDX-License-Identifier: ISC
//
// The atomics of code that the explorer in sim/model takes apart: std::atomic, or what it puts there instead.
#pragma once

#ifdef XTC_ATOMIC_HEADER
#include XTC_ATOMIC_HEADER
#else

#include <atomic>

namespace xtc {

using std::atomic;

} // namespace xtc

#endif
