// SPDX-License-Identifier: ISC
//
// The end of a gzip file says what it unpacks to; libarchive does not look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xtc::nrt {

bool is_gzip(std::span<const std::byte> bytes) noexcept;

struct GzipTrailer {
    uint32_t crc;
    uint32_t size; // modulo 2^32
};

// Empty when the bytes are too few for a gzip file.
std::optional<GzipTrailer> gzip_trailer(std::span<const std::byte> bytes) noexcept;

uint32_t crc32(std::span<const std::byte> bytes) noexcept;

} // namespace xtc::nrt
