// SPDX-License-Identifier: ISC
//
// Shows random packages to the reader and judges what it says.
#pragma once

#include <cstdint>
#include <string>

namespace fuzz {

struct Tally {
    uint64_t accepted = 0, refused = 0;
};

// One package, the same for the same seed. Empty, or a sentence about what is wrong.
std::string fuzz_package(uint64_t seed, Tally& tally);

} // namespace fuzz
