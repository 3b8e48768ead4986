// SPDX-License-Identifier: ISC
#include "stop_matcher.hpp"

#include <algorithm>

namespace serve {
namespace {

// The length of the longest end of text that is a beginning of stop, but not the whole of it.
std::size_t begun(std::string_view text, std::string_view stop) {
    for (std::size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
        if (text.ends_with(stop.substr(0, length))) return length;
    }
    return 0;
}

} // namespace

bool StopMatcher::matches(std::string_view text) {
    std::size_t longest = 0;
    std::size_t held = 0;
    for (const std::string& stop : stops_) {
        if (text.ends_with(stop)) longest = std::max(longest, stop.size());
        held = std::max(held, begun(text, stop));
    }
    visible_ = std::max(visible_, text.size() - (longest > 0 ? longest : held));
    return longest > 0;
}

} // namespace serve
