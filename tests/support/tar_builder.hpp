// SPDX-License-Identifier: ISC
//
// Tars written by hand, so that a test can write what no tar program would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using Bytes = std::vector<std::byte>;

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

struct TarEntry {
    std::string name;
    std::string contents;
    char type = '0';
    std::string link;
};

class TarBuilder {
public:
    TarBuilder& add(const TarEntry& entry) { return add_sized(entry, entry.contents.size()); }
    TarBuilder& file(std::string name, std::string contents) {
        return add({std::move(name), std::move(contents), '0', ""});
    }

    // With a header that claims another size.
    TarBuilder& add_sized(const TarEntry& entry, uint64_t claimed) {
        unsigned char header[512] = {};
        put(header, 0, 100, entry.name);
        put(header, 100, 8, "0000644");
        put(header, 108, 8, "0000000");
        put(header, 116, 8, "0000000");
        put(header, 124, 12, octal(claimed, 11));
        put(header, 136, 12, "00000000000");
        header[156] = static_cast<unsigned char>(entry.type);
        put(header, 157, 100, entry.link);
        std::memcpy(header + 257,
                    "ustar\0"
                    "00",
                    8);
        seal(header);
        append(header, sizeof header);
        append(entry.contents.data(), entry.contents.size());
        pad();
        return *this;
    }

    // Two blocks of zeros.
    Bytes finish() const {
        Bytes whole = bytes_;
        whole.resize(whole.size() + 1024);
        return whole;
    }
    const Bytes& unfinished() const { return bytes_; }

    // Makes the checksum of a header right.
    static void seal(unsigned char* header) {
        std::memset(header + 148, ' ', 8);
        unsigned sum = 0;
        for (int i = 0; i < 512; ++i) sum += header[i];
        char text[8];
        std::snprintf(text, sizeof text, "%06o", sum);
        std::memcpy(header + 148, text, 7);
    }

private:
    static void put(unsigned char* header, size_t at, size_t room, const std::string& text) {
        std::memcpy(header + at, text.data(), std::min(room, text.size()));
    }
    static std::string octal(uint64_t value, size_t digits) {
        std::string text(digits, '0');
        for (size_t i = digits; i-- > 0; value >>= 3) text[i] = static_cast<char>('0' + (value & 7));
        return text;
    }
    void append(const void* data, size_t size) {
        const auto* begin = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), begin, begin + size);
    }
    void pad() { bytes_.resize((bytes_.size() + 511) / 512 * 512); }

    Bytes bytes_;
};

} // namespace test
