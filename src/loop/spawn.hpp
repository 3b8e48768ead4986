// SPDX-License-Identifier: ISC
#pragma once

#include "loop/loop.hpp"
#include "xtc_loop.h"

namespace xtc {

// Spawns and answers with the public handle; out may be nullptr.
int spawn_with_handle(Loop& loop, const SpawnSpec& spec, xtc_task_t** out);

} // namespace xtc
