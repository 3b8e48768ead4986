// SPDX-License-Identifier: ISC
//
// N groups and a modulo, nothing more.
#pragma once

#include <xtc_batch.h>

#include <cstddef>
#include <memory>

struct xtc_batch_router {
    size_t n = 0;
    std::unique_ptr<xtc_batch_t*[]> groups; // borrowed
};
