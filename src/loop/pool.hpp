// SPDX-License-Identifier: ISC
//
// Production's Offload: one pool of threads for the process, behind xtc_blocking(3).
#pragma once

#include "seam/offload.h"

namespace xtc {

inline constexpr int kMostPoolThreads = 64;

// Its self is nullptr. submit answers XTC_E_ABORTED while the pool shuts down, XTC_E_NOMEM or XTC_E_RESOURCE
// if there is no thread and none can be made.
const xtc_seam_offload_t* pool_offload() noexcept;

// XTC_E_INVAL out of 1..64, or once threads run. Until then: at least 4, else one for each processor, and
// more up to 64 while nobody is free.
int pool_set_size(int threads) noexcept;

// Runs what was accepted, then joins the threads; the next submit starts anew. On a pool thread it does
// nothing: it would wait for itself.
void pool_shutdown() noexcept;

int pool_thread_count() noexcept;

} // namespace xtc
