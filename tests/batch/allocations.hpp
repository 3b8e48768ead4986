// SPDX-License-Identifier: ISC
//
// operator new of the test program counts, and fails when it is told to. Not in sanitizer builds, which bring
// their own.
#pragma once

#include <cstdint>

namespace allocations {

uint64_t count();           // so far
void fail_at(uint64_t nth); // the nth from now on returns nothing; 0: none does
bool has_failed();          // since fail_at

} // namespace allocations
