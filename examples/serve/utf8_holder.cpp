// SPDX-License-Identifier: ISC
#include "utf8_holder.hpp"

namespace serve {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

} // namespace

void Utf8Holder::feed(std::string_view bytes, std::string& out) {
    for (const char c : bytes) byte(static_cast<std::uint8_t>(c), out);
}

void Utf8Holder::finish(std::string& out) {
    if (held_ > 0) out += replacement;
    held_ = missing_ = 0;
}

void Utf8Holder::byte(std::uint8_t value, std::string& out) {
    if (missing_ == 0) return begin(value, out);
    if (value < lowest_ || value > highest_) {
        finish(out);
        return begin(value, out);
    }
    lowest_ = 0x80;
    highest_ = 0xbf;
    bytes_[held_++] = static_cast<char>(value);
    if (--missing_ > 0) return;
    out.append(bytes_, held_);
    held_ = 0;
}

void Utf8Holder::begin(std::uint8_t value, std::string& out) {
    if (value < 0x80) {
        out += static_cast<char>(value);
    } else if (value >= 0xc2 && value <= 0xdf) {
        expect(value, 1, 0x80, 0xbf);
    } else if (value >= 0xe0 && value <= 0xef) {
        expect(value, 2, value == 0xe0 ? 0xa0 : 0x80, value == 0xed ? 0x9f : 0xbf);
    } else if (value >= 0xf0 && value <= 0xf4) {
        expect(value, 3, value == 0xf0 ? 0x90 : 0x80, value == 0xf4 ? 0x8f : 0xbf);
    } else {
        out += replacement;
    }
}

void Utf8Holder::expect(std::uint8_t first, std::size_t more, std::uint8_t lowest, std::uint8_t highest) {
    bytes_[0] = static_cast<char>(first);
    held_ = 1;
    missing_ = more;
    lowest_ = lowest;
    highest_ = highest;
}

} // namespace serve
