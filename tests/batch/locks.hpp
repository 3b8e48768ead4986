// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>

namespace locks {

uint64_t count(); // mutexes locked by this process so far

} // namespace locks
