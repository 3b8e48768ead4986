// SPDX-License-Identifier: ISC
#include "api_error.hpp"

#include <nlohmann/json.hpp>

namespace serve {
namespace {

nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

} // namespace

std::string_view error_type(unsigned status) {
    if (status == 429) return "rate_limit_error";
    return status < 500 ? "invalid_request_error" : "server_error";
}

std::string ApiError::to_json() const {
    const nlohmann::json body = {{"error",
                                  {{"message", message},
                                   {"type", error_type(status)},
                                   {"param", text_or_null(param)},
                                   {"code", text_or_null(code)}}}};
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ApiError bad_request(std::string message, std::string param, std::string code) {
    return {.status = 400, .message = std::move(message), .code = std::move(code), .param = std::move(param)};
}

} // namespace serve
