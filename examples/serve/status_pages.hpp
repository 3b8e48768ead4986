// SPDX-License-Identifier: ISC
// The pages about the server itself.
#pragma once

#include "service.hpp"

namespace serve {

bool list_models(Exchange& exchange);
bool tell_health(Exchange& exchange);
bool tell_metrics(Exchange& exchange);

} // namespace serve
