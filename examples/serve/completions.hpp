// SPDX-License-Identifier: ISC
// The completion endpoints: a request becomes a sequence in the batch group, its text an answer.
#pragma once

#include "completion_request.hpp"
#include "service.hpp"

namespace serve {

bool serve_completion(Exchange& exchange, Dialect dialect);

} // namespace serve
