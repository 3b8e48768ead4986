// SPDX-License-Identifier: ISC
// Server-sent events, written and read: "data: ..." lines with an empty line after each event.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace serve {

void append_sse_event(std::string& out, std::string_view data);

// Takes a stream in pieces as they arrive and gives back the data of one event after the other.
class SseReader {
public:
    void feed(std::string_view bytes) { pending_ += bytes; }
    std::optional<std::string> next();

private:
    std::optional<std::string_view> next_line();

    std::string pending_;
    std::size_t used_ = 0;
    std::string data_;
    bool has_data_ = false;
};

} // namespace serve
