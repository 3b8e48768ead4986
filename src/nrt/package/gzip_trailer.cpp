// SPDX-License-Identifier: ISC
#include "nrt/package/gzip_trailer.hpp"

#include <array>
#include <cstring>

namespace xtc::nrt {
namespace {

constexpr size_t fixed_header = 10;

// Eight tables: eight bytes a step (a package may be gigabytes).
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
        tables[0][i] = value;
    }
    for (uint32_t i = 0; i < 256; ++i)
        for (size_t t = 1; t < 8; ++t)
            tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 255];
    return tables;
}
constexpr Tables tables = make_tables();

uint32_t word_at(const std::byte* at) noexcept {
    uint32_t word;
    std::memcpy(&word, at, sizeof(word)); // both the file and the machine are little-endian (neff.cpp)
    return word;
}

} // namespace

bool is_gzip(std::span<const std::byte> bytes) noexcept {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::optional<GzipTrailer> gzip_trailer(std::span<const std::byte> bytes) noexcept {
    if (bytes.size() < fixed_header + 8) return std::nullopt;
    const std::byte* end = bytes.data() + bytes.size();
    return GzipTrailer{word_at(end - 8), word_at(end - 4)};
}

uint32_t crc32(std::span<const std::byte> bytes) noexcept {
    const std::byte* at = bytes.data();
    size_t left = bytes.size();
    uint32_t crc = ~0u;
    for (; left >= 8; at += 8, left -= 8) {
        const uint32_t low = crc ^ word_at(at);
        const uint32_t high = word_at(at + 4);
        crc = tables[7][low & 255] ^ tables[6][(low >> 8) & 255] ^ tables[5][(low >> 16) & 255] ^
              tables[4][low >> 24] ^ tables[3][high & 255] ^ tables[2][(high >> 8) & 255] ^
              tables[1][(high >> 16) & 255] ^ tables[0][high >> 24];
    }
    for (; left > 0; ++at, --left) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<uint32_t>(*at)) & 255];
    return ~crc;
}

} // namespace xtc::nrt
