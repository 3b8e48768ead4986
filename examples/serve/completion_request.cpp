// SPDX-License-Identifier: ISC
#include "completion_request.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace serve {
namespace {

using nlohmann::json;
using Trouble = std::optional<ApiError>;

constexpr std::uint32_t default_max_tokens = 16;
constexpr std::uint32_t default_chat_max_tokens = 256;
constexpr std::size_t max_stops = 4;
constexpr std::size_t max_stop_bytes = 256;
constexpr int max_depth = 32;

struct TooDeep {};

// The JSON library visits a value's children by recursion, and a fiber's stack is small.
bool refuse_depth(int depth, json::parse_event_t, json&) {
    if (depth > max_depth) throw TooDeep();
    return true;
}

// The field, or null when it is absent or null: the two mean the same to clients.
const json& field(const json& body, const char* name) {
    static const json null;
    const auto found = body.find(name);
    return found == body.end() ? null : *found;
}

Trouble read_bool(const json& body, const char* name, bool& out) {
    const json& value = field(body, name);
    if (value.is_null()) return std::nullopt;
    if (!value.is_boolean()) return bad_request(std::string("'") + name + "' must be true or false.", name);
    out = value.get<bool>();
    return std::nullopt;
}

Trouble read_number(const json& body, const char* name, double lowest, double highest, float& out) {
    const json& value = field(body, name);
    if (value.is_null()) return std::nullopt;
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= lowest && number <= highest)) {
        return bad_request(std::string("'") + name + "' must be a number from " +
                               std::to_string(int(lowest)) + " to " + std::to_string(int(highest)) + ".",
                           name);
    }
    out = static_cast<float>(number);
    return std::nullopt;
}

Trouble read_prompt(const json& body, std::string& out) {
    const json* prompt = &field(body, "prompt");
    if (prompt->is_array() && prompt->size() == 1) prompt = &prompt->front();
    if (!prompt->is_string()) {
        return bad_request("'prompt' must be a string, or an array of exactly one string.", "prompt");
    }
    out = prompt->get<std::string>();
    if (out.empty()) return bad_request("'prompt' must not be empty.", "prompt");
    return std::nullopt;
}

// A message's content is a string, or parts of which only text makes sense here.
bool append_content(const json& content, std::string& out) {
    if (content.is_string()) {
        out += content.get_ref<const std::string&>();
        return true;
    }
    if (!content.is_array()) return false;
    for (const json& part : content) {
        if (!part.is_object() || field(part, "type") != "text" || !field(part, "text").is_string())
            return false;
        out += field(part, "text").get_ref<const std::string&>();
    }
    return true;
}

// The model continues text and knows no roles: the conversation is its messages, a line each.
Trouble read_messages(const json& body, std::string& out) {
    const json& messages = field(body, "messages");
    if (!messages.is_array() || messages.empty()) {
        return bad_request("'messages' must be an array of at least one message.", "messages");
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::string where = "messages[" + std::to_string(i) + "]";
        const json& message = messages[i];
        if (!message.is_object() || !field(message, "role").is_string()) {
            return bad_request("'" + where + "' must be an object with a 'role'.", where);
        }
        if (i > 0) out += '\n';
        if (!append_content(field(message, "content"), out)) {
            return bad_request("'" + where + ".content' must be a string or an array of text parts.", where);
        }
    }
    if (out.empty()) return bad_request("'messages' must contain some text.", "messages");
    return std::nullopt;
}

Trouble read_stops(const json& body, std::vector<std::string>& out) {
    const json& stop = field(body, "stop");
    if (stop.is_null()) return std::nullopt;
    const std::size_t count = stop.is_array() ? stop.size() : 1;
    if (count > max_stops) return bad_request("'stop' may have at most 4 sequences.", "stop");
    for (std::size_t i = 0; i < count; ++i) {
        const json& one = stop.is_array() ? stop[i] : stop;
        const std::string* text = one.get_ptr<const std::string*>();
        if (text == nullptr || text->empty() || text->size() > max_stop_bytes) {
            return bad_request("'stop' must be a string, or an array of strings, of 1 to 256 bytes.", "stop");
        }
        out.push_back(*text);
    }
    return std::nullopt;
}

Trouble read_seed(const json& body, CompletionRequest& out) {
    const json& seed = field(body, "seed");
    if (seed.is_null()) return std::nullopt;
    if (!seed.is_number_integer()) return bad_request("'seed' must be a whole number.", "seed");
    out.sampling.seed = seed.is_number_unsigned() ? seed.get<std::uint64_t>()
                                                  : static_cast<std::uint64_t>(seed.get<std::int64_t>());
    out.seeded = true;
    return std::nullopt;
}

Trouble read_stream(const json& body, CompletionRequest& out) {
    if (auto trouble = read_bool(body, "stream", out.stream)) return trouble;
    const json& options = field(body, "stream_options");
    if (options.is_null()) return std::nullopt;
    if (!options.is_object()) return bad_request("'stream_options' must be an object.", "stream_options");
    if (!out.stream) {
        return bad_request("'stream_options' is only allowed when 'stream' is true.", "stream_options");
    }
    return read_bool(options, "include_usage", out.include_usage);
}

// Asking for what would change the answer and is not there must not be passed over in silence.
Trouble refuse_unsupported(const json& body) {
    for (const char* name : {"n", "best_of"}) {
        const json& value = field(body, name);
        if (!value.is_null() && value != 1)
            return bad_request(std::string("'") + name + "' must be 1.", name);
    }
    for (const char* name : {"echo", "logprobs", "tools", "functions", "suffix"}) {
        const json& value = field(body, name);
        const bool neutral = value.is_null() || value == false || (value.is_array() && value.empty());
        if (!neutral)
            return bad_request(std::string("'") + name + "' is not supported by this server.", name);
    }
    return std::nullopt;
}

Trouble check_model(const json& body, const std::string& served) {
    const std::string* model = field(body, "model").get_ptr<const std::string*>();
    if (model == nullptr) return bad_request("'model' is missing: it must be \"" + served + "\".", "model");
    if (*model == served) return std::nullopt;
    return ApiError{.status = 404,
                    .message = "The model '" + *model + "' does not exist; this server has '" + served + "'.",
                    .code = "model_not_found",
                    .param = "model"};
}

Trouble read_max_tokens(const json& body, std::uint64_t context, CompletionRequest& out) {
    const bool chat = out.dialect == Dialect::chat;
    const char* name =
        chat && !field(body, "max_completion_tokens").is_null() ? "max_completion_tokens" : "max_tokens";
    const json& value = field(body, name);
    const std::uint64_t room = out.prompt.size() < context ? context - out.prompt.size() : 0;
    if (value.is_null()) {
        const std::uint64_t wanted = chat ? default_chat_max_tokens : default_max_tokens;
        out.max_tokens = static_cast<std::uint32_t>(std::min(wanted, room));
    } else if (!value.is_number_integer() || value < 1 || value > INT32_MAX) {
        return bad_request(std::string("'") + name + "' must be a whole number, at least 1.", name);
    } else {
        out.max_tokens = value.get<std::uint32_t>();
    }
    if (out.max_tokens >= 1 && out.max_tokens <= room) return std::nullopt;
    return bad_request("This model's context is " + std::to_string(context) +
                           " tokens, but the request needs " +
                           std::to_string(out.prompt.size() + std::max(out.max_tokens, 1u)) + " (" +
                           std::to_string(out.prompt.size()) + " in the prompt, " +
                           std::to_string(std::max(out.max_tokens, 1u)) + " in the answer).",
                       chat ? "messages" : "prompt", "context_length_exceeded");
}

Trouble read_fields(const json& body, const RequestLimits& limits, CompletionRequest& out) {
    if (auto trouble = check_model(body, limits.model)) return trouble;
    auto trouble =
        out.dialect == Dialect::chat ? read_messages(body, out.prompt) : read_prompt(body, out.prompt);
    if (trouble) return trouble;
    if (auto bad = refuse_unsupported(body)) return bad;
    if (auto bad = read_number(body, "temperature", 0, 2, out.sampling.temperature)) return bad;
    if (auto bad = read_number(body, "top_p", 0, 1, out.sampling.top_p)) return bad;
    if (auto bad = read_seed(body, out)) return bad;
    if (auto bad = read_stops(body, out.stops)) return bad;
    if (auto bad = read_stream(body, out)) return bad;
    return read_max_tokens(body, limits.context, out);
}

} // namespace

std::optional<ApiError> parse_completion(std::string_view body, Dialect dialect, const RequestLimits& limits,
                                         CompletionRequest& out) {
    out = {};
    out.dialect = dialect;
    try {
        const json parsed = json::parse(body, refuse_depth);
        if (!parsed.is_object()) return bad_request("The body must be a JSON object.");
        return read_fields(parsed, limits, out);
    } catch (const TooDeep&) {
        return bad_request("The body is nested deeper than " + std::to_string(max_depth) + " levels.");
    } catch (const json::parse_error& error) {
        return bad_request("The body is not valid JSON: the error is near byte " +
                           std::to_string(error.byte) + ".");
    }
}

} // namespace serve
