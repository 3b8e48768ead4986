// SPDX-License-Identifier: ISC
// A request of the completion endpoints, read from JSON and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api_error.hpp"
#include "device.hpp"

namespace serve {

enum class Dialect { completion, chat };

struct CompletionRequest {
    Dialect dialect = Dialect::completion;
    std::string prompt; // the model reads bytes, so a byte is a token
    std::uint32_t max_tokens = 0;
    Sampling sampling;
    bool seeded = false;
    std::vector<std::string> stops;
    bool stream = false;
    bool include_usage = false;

    std::uint64_t charge() const { return prompt.size() + max_tokens; }
};

struct RequestLimits {
    std::string model;
    std::uint64_t context = 0; // tokens, prompt and answer together
};

// Fills out, or says what is wrong with the body.
std::optional<ApiError> parse_completion(std::string_view body, Dialect dialect, const RequestLimits& limits,
                                         CompletionRequest& out);

} // namespace serve
