// SPDX-License-Identifier: ISC
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

namespace xtc::sim {

// What an oracle found wrong, in words. The first few are enough.
class Complaints {
public:
    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
        count_++;
        if (texts_.size() >= 8) return;
        char text[256];
        va_list args;
        va_start(args, format);
        std::vsnprintf(text, sizeof text, format, args);
        va_end(args);
        texts_.emplace_back(text);
    }
    bool none() const noexcept { return count_ == 0; }
    const std::vector<std::string>& texts() const noexcept { return texts_; }

private:
    std::vector<std::string> texts_;
    size_t count_ = 0;
};

} // namespace xtc::sim
