// SPDX-License-Identifier: ISC
// The answers of the completion endpoints as JSON: the pieces of a stream, or the whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "completion_request.hpp"

namespace serve {

struct Usage {
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;
};

class CompletionReply {
public:
    // serial tells answers of this server apart.
    CompletionReply(const CompletionRequest& request, std::string model, std::uint64_t serial,
                    std::int64_t created_s);

    // The pieces of a stream in their order. A completion has no first piece: then it is empty.
    std::string first_piece() const;
    std::string text_piece(std::string_view text) const;
    std::string last_piece(std::string_view finish_reason) const;
    std::string usage_piece(const Usage& usage) const;

    std::string whole(std::string_view text, std::string_view finish_reason, const Usage& usage) const;

private:
    std::string id_;
    std::string model_;
    std::int64_t created_s_;
    bool chat_;
    bool include_usage_;
};

} // namespace serve
