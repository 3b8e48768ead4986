// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "sse.hpp"

using serve::append_sse_event;
using serve::SseReader;

TEST_CASE("sse: an event is its data with an empty line after it", "[serve]") {
    std::string out;
    append_sse_event(out, "{\"a\":1}");
    append_sse_event(out, "[DONE]");
    CHECK(out == "data: {\"a\":1}\n\ndata: [DONE]\n\n");
}

TEST_CASE("sse: data of several lines becomes several data lines, and one event again when read", "[serve]") {
    std::string out;
    append_sse_event(out, "one\n\ntwo");
    CHECK(out == "data: one\ndata: \ndata: two\n\n");
    SseReader reader;
    reader.feed(out);
    CHECK(reader.next() == "one\n\ntwo");
    CHECK_FALSE(reader.next());
}

TEST_CASE("sse: a reader fed byte by byte gives the same events", "[serve]") {
    const std::string stream = ": a comment\n\ndata: first\r\n\r\nid: 7\ndata:second\n\ndata: cut";
    SseReader reader;
    std::vector<std::string> events;
    for (const char c : stream) {
        reader.feed({&c, 1});
        while (const auto event = reader.next()) events.push_back(*event);
    }
    CHECK(events == std::vector<std::string>{"first", "second"});
}
