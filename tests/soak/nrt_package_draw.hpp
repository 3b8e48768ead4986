// SPDX-License-Identifier: ISC
//
// Random model packages: sound ones, ones with one planted fault, and ones whose bytes were then tampered
// with.
#pragma once

#include "base/prng.hpp"
#include "support/tar_builder.hpp"

#include <cstdint>
#include <string>

namespace fuzz {

enum class Expect : uint8_t { accept, refuse, either };

struct Drawn {
    test::Bytes bytes;
    Expect expect = Expect::accept;
    std::string story; // what was drawn, for the one who reads a failure
};

inline constexpr uint64_t limit_bytes = uint64_t{1} << 20;
inline constexpr uint32_t limit_entries = 24;

Drawn draw_package(xtc::Prng& random);

} // namespace fuzz
