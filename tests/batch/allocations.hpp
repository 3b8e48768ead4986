// SPDX-License-Identifier: ISC
//
// operator new of the test program counts, and fails when it is told to. Not in sanitizer builds, which bring
// their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace allocations {

uint64_t count();           // so far
void fail_at(uint64_t nth); // the nth from now on returns nothing; 0: none does
bool has_failed();          // since fail_at

// Blocks of this size that are deleted from now on are kept and marked; 0: none. At most kMostKept.
inline constexpr size_t kMostKept = 64;
void keep_deleted(size_t size);
// How many are kept; frees them. *written: so many of them were written to after they were deleted.
size_t release_kept(size_t* written);

} // namespace allocations
