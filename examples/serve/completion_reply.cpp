// SPDX-License-Identifier: ISC
#include "completion_reply.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace serve {
namespace {

using json = nlohmann::ordered_json; // fields in the order that OpenAI documents

std::string make_id(bool chat, std::uint64_t serial) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(serial));
    return (chat ? "chatcmpl-" : "cmpl-") + std::string(digits);
}

json usage_json(const Usage& usage) {
    return {{"prompt_tokens", usage.prompt_tokens},
            {"completion_tokens", usage.completion_tokens},
            {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

json reason_json(std::string_view reason) {
    return reason.empty() ? json(nullptr) : json(reason);
}

std::string text_of(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json completion_choice(std::string_view text, std::string_view reason) {
    return {{"index", 0}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", reason_json(reason)}};
}

json chat_choice(json delta, std::string_view reason) {
    return {{"index", 0},
            {"delta", std::move(delta)},
            {"logprobs", nullptr},
            {"finish_reason", reason_json(reason)}};
}

json piece_json(const std::string& id, const std::string& model, std::int64_t created_s, bool chat) {
    return {{"id", id},
            {"object", chat ? "chat.completion.chunk" : "text_completion"},
            {"created", created_s},
            {"model", model}};
}

} // namespace

CompletionReply::CompletionReply(const CompletionRequest& request, std::string model, std::uint64_t serial,
                                 std::int64_t created_s)
    : id_(make_id(request.dialect == Dialect::chat, serial)), model_(std::move(model)), created_s_(created_s),
      chat_(request.dialect == Dialect::chat), include_usage_(request.include_usage) {}

std::string CompletionReply::first_piece() const {
    if (!chat_) return {};
    json piece = piece_json(id_, model_, created_s_, chat_);
    piece["choices"] = json::array({chat_choice({{"role", "assistant"}, {"content", ""}}, "")});
    if (include_usage_) piece["usage"] = nullptr;
    return text_of(piece);
}

std::string CompletionReply::text_piece(std::string_view text) const {
    json piece = piece_json(id_, model_, created_s_, chat_);
    piece["choices"] =
        json::array({chat_ ? chat_choice({{"content", text}}, "") : completion_choice(text, "")});
    if (include_usage_) piece["usage"] = nullptr;
    return text_of(piece);
}

std::string CompletionReply::last_piece(std::string_view finish_reason) const {
    json piece = piece_json(id_, model_, created_s_, chat_);
    piece["choices"] = json::array(
        {chat_ ? chat_choice(json::object(), finish_reason) : completion_choice("", finish_reason)});
    if (include_usage_) piece["usage"] = nullptr;
    return text_of(piece);
}

std::string CompletionReply::usage_piece(const Usage& usage) const {
    json piece = piece_json(id_, model_, created_s_, chat_);
    piece["choices"] = json::array();
    piece["usage"] = usage_json(usage);
    return text_of(piece);
}

std::string CompletionReply::whole(std::string_view text, std::string_view finish_reason,
                                   const Usage& usage) const {
    json reply = piece_json(id_, model_, created_s_, chat_);
    if (chat_) {
        reply["object"] = "chat.completion";
        reply["choices"] = json::array({{{"index", 0},
                                         {"message", {{"role", "assistant"}, {"content", text}}},
                                         {"logprobs", nullptr},
                                         {"finish_reason", reason_json(finish_reason)}}});
    } else {
        reply["choices"] = json::array({completion_choice(text, finish_reason)});
    }
    reply["usage"] = usage_json(usage);
    return text_of(reply);
}

} // namespace serve
