// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <cstring>
#include <string>

#include "nrt/log.hpp"
#include "support/child.hpp"

using namespace xtc::nrt;

TEST_CASE("Levels and places are words in any case", "[nrt][log]") {
    LogLevel level{};
    CHECK(parse("quiet", &level));
    CHECK(level == LogLevel::quiet);
    CHECK(parse("Warning", &level));
    CHECK(level == LogLevel::warn);
    CHECK(parse("WARN", &level));
    CHECK(level == LogLevel::warn);
    CHECK(parse("TRACE", &level));
    CHECK(level == LogLevel::trace);
    CHECK_FALSE(parse("", &level));
    CHECK_FALSE(parse("ERRORS", &level));
    LogPlace place{};
    CHECK(parse("Syslog", &place));
    CHECK(place == LogPlace::syslog);
    CHECK(parse("console", &place));
    CHECK(place == LogPlace::console);
    CHECK_FALSE(parse("file", &place));
}

TEST_CASE("A sentence is one line on standard error, at and below the level", "[nrt][log]") {
    const auto end = test::run_in_child([] {
        set_log(LogLevel::warn, LogPlace::console);
        log(LogLevel::error, "one %d", 1);
        log(LogLevel::warn, "two %s", "2");
        log(LogLevel::info, "not this");
        set_log(LogLevel::quiet, LogPlace::console);
        log(LogLevel::error, "nor this");
    });
    CHECK(end.stderr_text == "NRT ERROR: one 1\nNRT WARN: two 2\n");
}

TEST_CASE("A long sentence is cut and still ends its line", "[nrt][log]") {
    const auto end = test::run_in_child([] {
        set_log(LogLevel::error, LogPlace::console);
        const std::string text(5000, 'x');
        log(LogLevel::error, "%s", text.c_str());
        log(LogLevel::error, "%s", text.substr(0, 499).c_str());
    });
    const size_t line = end.stderr_text.find('\n') + 1;
    CHECK(line == 511);
    CHECK(end.stderr_text.size() == 2 * line);
    CHECK(end.stderr_text.back() == '\n');
    CHECK(end.stderr_text.find('\0') == std::string::npos);
}

TEST_CASE("In syslog nothing goes to standard error", "[nrt][log]") {
    const auto end = test::run_in_child([] {
        set_log(LogLevel::error, LogPlace::syslog);
        log(LogLevel::error, "a sentence of a test");
    });
    CHECK(end.stderr_text.empty());
}
