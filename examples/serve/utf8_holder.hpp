// SPDX-License-Identifier: ISC
// Turns a stream of bytes into whole UTF-8 characters: the bytes of an unfinished one are held back, and what
// can never become one is replaced by U+FFFD, so that everything given out can stand in a JSON string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace serve {

class Utf8Holder {
public:
    // Appends the characters that bytes complete.
    void feed(std::string_view bytes, std::string& out);

    // Appends U+FFFD for a character that will never be completed.
    void finish(std::string& out);

    std::size_t held() const { return held_; }

private:
    void byte(std::uint8_t value, std::string& out);
    void begin(std::uint8_t value, std::string& out);
    void expect(std::uint8_t first, std::size_t more, std::uint8_t lowest, std::uint8_t highest);

    char bytes_[4] = {};
    std::size_t held_ = 0;
    std::size_t missing_ = 0;
    // The range of the next byte; narrower than 80..BF after a lead byte that could begin an overlong form, a
    // surrogate or a number past U+10FFFF.
    std::uint8_t lowest_ = 0x80;
    std::uint8_t highest_ = 0xbf;
};

} // namespace serve
