// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "completion_request.hpp"

using namespace serve;

namespace {

const RequestLimits limits = {.model = "bytes", .context = 100};

struct Parsed {
    CompletionRequest request;
    unsigned status = 200;
    ApiError error = {};
};

Parsed parse(std::string_view body, Dialect dialect = Dialect::completion) {
    Parsed parsed;
    if (auto trouble = parse_completion(body, dialect, limits, parsed.request)) {
        parsed.error = *trouble;
        parsed.status = trouble->status;
    }
    return parsed;
}

Parsed with(const std::string& fields) {
    return parse(R"({"model":"bytes","prompt":"hello",)" + fields + "}");
}

} // namespace

TEST_CASE("completion request: every field is taken over", "[serve]") {
    const Parsed parsed = with(R"("max_tokens":7,"temperature":0.5,"top_p":0.25,"seed":-1,"stop":["a","bc"],
                                  "stream":true,"stream_options":{"include_usage":true},"n":1,"user":"me")");
    REQUIRE(parsed.status == 200);
    CHECK(parsed.request.prompt == "hello");
    CHECK(parsed.request.max_tokens == 7);
    CHECK(parsed.request.charge() == 12);
    CHECK(parsed.request.sampling.temperature == 0.5f);
    CHECK(parsed.request.sampling.top_p == 0.25f);
    CHECK(parsed.request.sampling.seed == UINT64_MAX);
    CHECK(parsed.request.seeded);
    CHECK(parsed.request.stops == std::vector<std::string>{"a", "bc"});
    CHECK(parsed.request.stream);
    CHECK(parsed.request.include_usage);
}

TEST_CASE("completion request: what is absent or null has OpenAI's default", "[serve]") {
    const Parsed parsed =
        with(R"("max_tokens":null,"temperature":null,"stop":null,"stream":null,"seed":null)");
    REQUIRE(parsed.status == 200);
    CHECK(parsed.request.max_tokens == 16);
    CHECK(parsed.request.sampling.temperature == 1.0f);
    CHECK(parsed.request.sampling.top_p == 1.0f);
    CHECK(parsed.request.stops.empty());
    CHECK_FALSE(parsed.request.seeded);
    CHECK_FALSE(parsed.request.stream);
}

TEST_CASE("completion request: a chat is its messages' text, a line each", "[serve]") {
    const Parsed parsed = parse(R"({"model":"bytes","messages":[{"role":"system","content":"Be brief."},
        {"role":"user","content":[{"type":"text","text":"Hi"},{"type":"text","text":" you"}]}],
        "max_completion_tokens":5})",
                                Dialect::chat);
    REQUIRE(parsed.status == 200);
    CHECK(parsed.request.prompt == "Be brief.\nHi you");
    CHECK(parsed.request.max_tokens == 5);
}

TEST_CASE("completion request: a chat without a limit may use the context that is left", "[serve]") {
    const Parsed parsed =
        parse(R"({"model":"bytes","messages":[{"role":"user","content":"0123456789"}]})", Dialect::chat);
    REQUIRE(parsed.status == 200);
    CHECK(parsed.request.max_tokens == 90);
}

TEST_CASE("completion request: an unreadable body is a 400 that says where", "[serve]") {
    CHECK(parse("").status == 400);
    CHECK(parse("[1]").error.message == "The body must be a JSON object.");
    const Parsed parsed = parse(R"({"model": bytes})");
    CHECK(parsed.status == 400);
    CHECK(parsed.error.message == "The body is not valid JSON: the error is near byte 11.");
    CHECK(parse("{\"model\":\"\xff\"}").status == 400);
}

TEST_CASE("completion request: JSON nested a hundred thousand deep is refused, not a crash", "[serve]") {
    const std::string open(100'000, '[');
    CHECK(parse(open).status == 400);
    const Parsed parsed = with("\"stop\":" + open + std::string(100'000, ']'));
    CHECK(parsed.status == 400);
    CHECK(parsed.error.message == "The body is nested deeper than 32 levels.");
}

TEST_CASE("completion request: a wrong field is a 400 that names it", "[serve]") {
    struct Case {
        const char* fields;
        const char* param;
    };
    for (const Case& wrong : {
             Case{R"("max_tokens":0)", "max_tokens"},
             Case{R"("max_tokens":1.5)", "max_tokens"},
             Case{R"("max_tokens":"7")", "max_tokens"},
             Case{R"("max_tokens":99999999999999)", "max_tokens"},
             Case{R"("temperature":-0.1)", "temperature"},
             Case{R"("temperature":2.1)", "temperature"},
             Case{R"("temperature":"hot")", "temperature"},
             Case{R"("top_p":1.1)", "top_p"},
             Case{R"("seed":1.5)", "seed"},
             Case{R"("stop":"")", "stop"},
             Case{R"("stop":[1])", "stop"},
             Case{R"("stop":["a","b","c","d","e"])", "stop"},
             Case{R"("stream":1)", "stream"},
             Case{R"("stream_options":{"include_usage":true})", "stream_options"},
             Case{R"("n":2)", "n"},
             Case{R"("echo":true)", "echo"},
             Case{R"("logprobs":3)", "logprobs"},
         }) {
        CAPTURE(wrong.fields);
        const Parsed parsed = with(wrong.fields);
        CHECK(parsed.status == 400);
        CHECK(parsed.error.param == wrong.param);
        CHECK(parsed.error.message.back() == '.');
    }
}

TEST_CASE("completion request: a prompt or messages of the wrong shape are a 400", "[serve]") {
    for (const char* prompt : {"null", "\"\"", "1", "[]", R"(["a","b"])", "[1,2]"}) {
        CAPTURE(prompt);
        CHECK(parse(std::string(R"({"model":"bytes","prompt":)") + prompt + "}").error.param == "prompt");
    }
    for (const char* messages :
         {"null", "[]", "\"hi\"", R"(["hi"])", R"([{"content":"x"}])", R"([{"role":"user"}])",
          R"([{"role":"user","content":[{"type":"image_url"}]}])"}) {
        CAPTURE(messages);
        CHECK(parse(std::string(R"({"model":"bytes","messages":)") + messages + "}", Dialect::chat).status ==
              400);
    }
}

TEST_CASE("completion request: a model that is not here is a 404 with OpenAI's code", "[serve]") {
    const Parsed parsed = parse(R"({"model":"gpt-4","prompt":"x"})");
    CHECK(parsed.status == 404);
    CHECK(parsed.error.code == "model_not_found");
    CHECK(parse(R"({"prompt":"x"})").status == 400);
}

TEST_CASE("completion request: what does not fit the context is refused at the door", "[serve]") {
    CHECK(with(R"("max_tokens":95)").status == 200);
    const Parsed parsed = with(R"("max_tokens":96)");
    CHECK(parsed.status == 400);
    CHECK(parsed.error.code == "context_length_exceeded");
    const std::string full(100, 'x');
    CHECK(parse(R"({"model":"bytes","prompt":")" + full + "\"}").error.code == "context_length_exceeded");
}
