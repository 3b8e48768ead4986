// SPDX-License-Identifier: ISC
//
// The builtin operations, as functions over buffers that check_op has found to fit.
#pragma once

#include "nrt/package/blas.hpp"
#include "nrt/package/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "nrt/nrt_xtc_model.h"

namespace xtc::nrt {

// Returns when that much time has passed on the clock the model runs under.
struct Sleeper {
    void (*sleep)(void* self, int64_t ns);
    void* self;
};

struct Outcome {
    Status status = Status::success;
    // The execution unit is lost: what is behind this in its queue must not run.
    bool is_fatal = false;
};

// Where an output is an input the result is as if it were not, but for matmul, which refuses.
Outcome run_builtin(const Manifest& manifest, const Builtin& builtin, std::span<const nrt_xtc_model_in_t> in,
                    std::span<const nrt_xtc_model_out_t> out, Sgemm sgemm, const Sleeper& sleeper);

} // namespace xtc::nrt
