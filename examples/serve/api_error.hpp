// SPDX-License-Identifier: ISC
// An answer that says no, in the shape OpenAI clients expect: a status, a sentence, and what it is about.
#pragma once

#include <string>
#include <string_view>

namespace serve {

struct ApiError {
    unsigned status = 500;
    std::string message;
    std::string code;  // for programs; empty is null
    std::string param; // the field of the request at fault; empty is null
    int retry_after_s = 0;

    std::string to_json() const;
};

ApiError bad_request(std::string message, std::string param = "", std::string code = "");

// The "type" field for a status; what the clients' exception classes are chosen by beside the status itself.
std::string_view error_type(unsigned status);

} // namespace serve
