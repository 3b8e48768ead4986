// SPDX-License-Identifier: ISC
#include "nrt/package/file_name.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

namespace {

std::string cleaned(const std::string& name) {
    std::string clean;
    return clean_file_name(name, clean) ? "(refused)" : clean;
}

} // namespace

TEST_CASE("a name is a relative path, cleaned of what tar adds") {
    CHECK(cleaned("model.json") == "model.json");
    CHECK(cleaned("./lib/model.so") == "lib/model.so");
    CHECK(cleaned("././a") == "a");
    CHECK(cleaned("lib/") == "lib");
    CHECK(cleaned("...") == "...");
    CHECK(cleaned("a/..b") == "a/..b");
    CHECK(cleaned("./") == "");
    CHECK(cleaned(".") == "");
    CHECK(cleaned(std::string(255, 'a')) == std::string(255, 'a'));
}

TEST_CASE("a name that is none is refused") {
    for (const char* name : {"", "/", "/a", "..", "../a", "a/..", "a/../b", "a//b", "a/./b", "a//", "./../a",
                             "a\\b", "a\nb", "gr\xc3\xb6sse", "\x7f", ".//a"}) {
        INFO(name);
        CHECK(cleaned(name) == "(refused)");
    }
    CHECK(cleaned(std::string("a\0b", 3)) == "(refused)");
    CHECK(cleaned(std::string(256, 'a')) == "(refused)");
}

TEST_CASE("a name in a sentence is printable and short") {
    CHECK(printable("a\x1b[31m\xff") == "a\\x1b[31m\\xff");
    CHECK(printable(std::string(200, 'a')) == std::string(80, 'a') + "...");
}
