// SPDX-License-Identifier: ISC
#include "nrt/package/neff.hpp"

#include <bit>
#include <cstring>

namespace xtc::nrt {
namespace {

static_assert(std::endian::native == std::endian::little, "headers are read as they lie in memory");

constexpr size_t header_bytes = 1024;

} // namespace

std::optional<NeffHeader> neff_header(std::span<const std::byte> bytes) noexcept {
    if (bytes.size() < header_bytes) return std::nullopt;
    NeffHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    const bool known_version = header.package_version == 1 || header.package_version == 2;
    if (!known_version || header.header_bytes != header_bytes) return std::nullopt;
    return header;
}

Refusal refusal_of(const NeffHeader& header) {
    return {Status::unsupported_neff_version,
            "this is a NEFF (package version " + std::to_string(header.package_version) +
                ", compiler format " + std::to_string(header.major) + "." + std::to_string(header.minor) +
                "): it holds instructions for the device, which the CPU device cannot run; it runs CPU model "
                "packages, which xtc-model makes"};
}

} // namespace xtc::nrt
