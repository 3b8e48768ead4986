// SPDX-License-Identifier: ISC
// Finds the handler for a request. A handler answers, and is false when the connection is of no more use.
#pragma once

#include "service.hpp"

namespace serve {

bool dispatch(Exchange& exchange);

} // namespace serve
