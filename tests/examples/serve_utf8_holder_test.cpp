// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "utf8_holder.hpp"

using serve::Utf8Holder;

namespace {

std::string all_of(std::string_view bytes) {
    Utf8Holder holder;
    std::string out;
    for (const char c : bytes) holder.feed({&c, 1}, out);
    holder.finish(out);
    return out;
}

} // namespace

TEST_CASE("utf8 holder: a character is given out only when its last byte is there", "[serve]") {
    const std::string fox = "a\xf0\x9f\xa6\x8a"
                            "b";
    Utf8Holder holder;
    std::vector<std::string> pieces;
    for (const char c : fox) {
        std::string out;
        holder.feed({&c, 1}, out);
        pieces.push_back(out);
    }
    CHECK(pieces == std::vector<std::string>{"a", "", "", "", "\xf0\x9f\xa6\x8a", "b"});
    CHECK(holder.held() == 0);
}

TEST_CASE("utf8 holder: well-formed text comes out as it went in, however it is cut", "[serve]") {
    const std::string text =
        "plain, Grüße, \xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf "
        "狐🦊";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Utf8Holder holder;
        std::string out;
        holder.feed(std::string_view(text).substr(0, cut), out);
        holder.feed(std::string_view(text).substr(cut), out);
        holder.finish(out);
        CHECK(out == text);
    }
}

TEST_CASE("utf8 holder: what can never be a character is replaced, and the rest survives", "[serve]") {
    const std::string bad = "\xef\xbf\xbd";
    CHECK(all_of("a\xff"
                 "b") == "a" + bad + "b");
    CHECK(all_of("\x80") == bad);
    CHECK(all_of("\xc0\xaf") == bad + bad);  // an overlong slash
    CHECK(all_of("\xe2\x82X") == bad + "X"); // cut short by another character
    CHECK(all_of("\xe2\x82\xe2\x82\xac") == bad + "\xe2\x82\xac");
    CHECK(all_of("\xed\xa0\x80") == bad + bad + bad);           // a surrogate
    CHECK(all_of("\xf4\x90\x80\x80") == bad + bad + bad + bad); // past U+10FFFF
}

TEST_CASE("utf8 holder: an unfinished character at the end is replaced once", "[serve]") {
    CHECK(all_of("x\xf0\x9f\xa6") == "x\xef\xbf\xbd");
}
