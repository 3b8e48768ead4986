// SPDX-License-Identifier: ISC
#include "sse.hpp"

#include <utility>

namespace serve {

void append_sse_event(std::string& out, std::string_view data) {
    while (true) {
        const std::size_t end = data.find('\n');
        out += "data: ";
        out += data.substr(0, end);
        out += '\n';
        if (end == std::string_view::npos) break;
        data.remove_prefix(end + 1);
    }
    out += '\n';
}

std::optional<std::string_view> SseReader::next_line() {
    const std::size_t end = pending_.find('\n', used_);
    if (end == std::string::npos) {
        pending_.erase(0, used_);
        used_ = 0;
        return std::nullopt;
    }
    std::string_view line(pending_.data() + used_, end - used_);
    used_ = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::optional<std::string> SseReader::next() {
    while (const auto line = next_line()) {
        if (line->empty()) {
            if (!has_data_) continue;
            has_data_ = false;
            return std::exchange(data_, {});
        }
        if (!line->starts_with("data:")) continue; // comments and fields nobody here uses
        std::string_view value = line->substr(5);
        if (value.starts_with(' ')) value.remove_prefix(1);
        if (has_data_) data_ += '\n';
        data_ += value;
        has_data_ = true;
    }
    return std::nullopt;
}

} // namespace serve
