// SPDX-License-Identifier: ISC
//
// A NEFF is a program for the device: known by its header, so that its owner hears what it is and why it does
// not run here.
#pragma once

#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xtc::nrt {

struct NeffHeader {
    uint64_t package_version, header_bytes, data_bytes, major, minor;
};

// Empty when the bytes do not begin with a whole header.
std::optional<NeffHeader> neff_header(std::span<const std::byte> bytes) noexcept;

Refusal refusal_of(const NeffHeader& header);

} // namespace xtc::nrt
