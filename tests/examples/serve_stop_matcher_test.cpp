// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "stop_matcher.hpp"

using serve::StopMatcher;

namespace {

// What was visible after each byte; the last is where the stop begins when one was found.
std::vector<std::size_t> visible_after(StopMatcher& matcher, std::string_view text, bool& stopped) {
    std::vector<std::size_t> visible;
    stopped = false;
    for (std::size_t n = 1; n <= text.size() && !stopped; ++n) {
        stopped = matcher.matches(text.substr(0, n));
        visible.push_back(matcher.visible());
    }
    return visible;
}

} // namespace

TEST_CASE("stop matcher: without stops every byte is visible at once", "[serve]") {
    StopMatcher matcher({});
    bool stopped = true;
    CHECK(visible_after(matcher, "abc", stopped) == std::vector<std::size_t>{1, 2, 3});
    CHECK_FALSE(stopped);
}

TEST_CASE("stop matcher: a stop that has begun is held back and its text never shown", "[serve]") {
    StopMatcher matcher({"END"});
    bool stopped = false;
    CHECK(visible_after(matcher, "aENDx", stopped) == std::vector<std::size_t>{1, 1, 1, 1});
    CHECK(stopped);
}

TEST_CASE("stop matcher: a beginning that comes to nothing is shown after all", "[serve]") {
    StopMatcher matcher({"END"});
    bool stopped = false;
    CHECK(visible_after(matcher, "aENx", stopped) == std::vector<std::size_t>{1, 1, 1, 4});
    CHECK_FALSE(stopped);
}

TEST_CASE("stop matcher: a stop that overlaps its own beginning is found", "[serve]") {
    StopMatcher matcher({"aab"});
    bool stopped = false;
    CHECK(visible_after(matcher, "aaab", stopped) == std::vector<std::size_t>{0, 0, 1, 1});
    CHECK(stopped);
}

TEST_CASE("stop matcher: of several stops that end together the one that begins first counts", "[serve]") {
    StopMatcher matcher({"b", "ab"});
    bool stopped = false;
    CHECK(visible_after(matcher, "xab", stopped).back() == 1);
    CHECK(stopped);
}
