// SPDX-License-Identifier: ISC
#pragma once

#include "support/tar_builder.hpp"

#include "nrt/package/gzip_trailer.hpp"

namespace test {

// A gzip file that stores and does not compress.
inline Bytes gzip_of(std::span<const std::byte> data) {
    const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    Bytes out(sizeof head);
    std::memcpy(out.data(), head, sizeof head);
    const auto number = [&out](uint32_t value, int n_bytes) {
        for (int i = 0; i < n_bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
    };
    size_t at = 0;
    do {
        const size_t n = std::min<size_t>(data.size() - at, 65535);
        number(at + n == data.size() ? 1 : 0, 1);
        number(static_cast<uint32_t>(n), 2);
        number(~static_cast<uint32_t>(n), 2);
        out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                   data.begin() + static_cast<std::ptrdiff_t>(at + n));
        at += n;
    } while (at < data.size());
    number(xtc::nrt::crc32(data), 4);
    number(static_cast<uint32_t>(data.size()), 4);
    return out;
}

} // namespace test
