// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "completion_reply.hpp"

using namespace serve;
using nlohmann::json;

namespace {

CompletionReply make_reply(Dialect dialect, bool include_usage = false) {
    CompletionRequest request;
    request.dialect = dialect;
    request.include_usage = include_usage;
    return {request, "bytes", 0x1234, 1700000000};
}

} // namespace

TEST_CASE("completion reply: a completion's stream is text, then the reason", "[serve]") {
    const CompletionReply reply = make_reply(Dialect::completion);
    CHECK(reply.first_piece().empty());
    const json text = json::parse(reply.text_piece("so \"quoted\""));
    CHECK(text["id"] == "cmpl-0000000000001234");
    CHECK(text["object"] == "text_completion");
    CHECK(text["created"] == 1700000000);
    CHECK(text["model"] == "bytes");
    CHECK(text["choices"][0]["text"] == "so \"quoted\"");
    CHECK(text["choices"][0]["finish_reason"].is_null());
    CHECK_FALSE(text.contains("usage"));
    const json last = json::parse(reply.last_piece("stop"));
    CHECK(last["choices"][0]["text"] == "");
    CHECK(last["choices"][0]["finish_reason"] == "stop");
}

TEST_CASE("completion reply: a chat's stream begins with the role and ends with an empty delta", "[serve]") {
    const CompletionReply reply = make_reply(Dialect::chat);
    const json first = json::parse(reply.first_piece());
    CHECK(first["object"] == "chat.completion.chunk");
    CHECK(first["choices"][0]["delta"]["role"] == "assistant");
    CHECK(json::parse(reply.text_piece("hi"))["choices"][0]["delta"] == json{{"content", "hi"}});
    const json last = json::parse(reply.last_piece("length"));
    CHECK(last["choices"][0]["delta"] == json::object());
    CHECK(last["choices"][0]["finish_reason"] == "length");
}

TEST_CASE("completion reply: usage that was asked for is null until the piece that has it and no choices",
          "[serve]") {
    const CompletionReply reply = make_reply(Dialect::completion, true);
    CHECK(json::parse(reply.text_piece("a"))["usage"].is_null());
    const json usage = json::parse(reply.usage_piece({.prompt_tokens = 3, .completion_tokens = 4}));
    CHECK(usage["choices"] == json::array());
    CHECK(usage["usage"] == json{{"prompt_tokens", 3}, {"completion_tokens", 4}, {"total_tokens", 7}});
}

TEST_CASE("completion reply: the whole answer in both dialects", "[serve]") {
    const Usage usage = {.prompt_tokens = 1, .completion_tokens = 2};
    const json text = json::parse(make_reply(Dialect::completion).whole("ab", "length", usage));
    CHECK(text["choices"][0]["text"] == "ab");
    CHECK(text["choices"][0]["finish_reason"] == "length");
    CHECK(text["usage"]["total_tokens"] == 3);
    const json chat = json::parse(make_reply(Dialect::chat).whole("ab", "stop", usage));
    CHECK(chat["object"] == "chat.completion");
    CHECK(chat["choices"][0]["message"] == json{{"role", "assistant"}, {"content", "ab"}});
}

TEST_CASE("api error: the JSON has OpenAI's four fields, null where there is nothing to say", "[serve]") {
    const json error = json::parse(bad_request("No.", "prompt").to_json())["error"];
    CHECK(
        error ==
        json{{"message", "No."}, {"type", "invalid_request_error"}, {"param", "prompt"}, {"code", nullptr}});
    CHECK(error_type(429) == "rate_limit_error");
    CHECK(error_type(503) == "server_error");
}
