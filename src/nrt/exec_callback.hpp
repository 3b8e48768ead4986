// SPDX-License-Identifier: ISC
// Whom implicitly asynchronous executions tell that they ended. One for the process, kept over re-init.
#pragma once

#include <nrt/nrt.h>

#include <cstdint>

namespace xtc::nrt {

// NULL: back to the one that logs failures. Any thread.
void set_exec_callback(NRT_ASYNC_EXEC_STATUS_CALLBACK callback, void* params);

// Around a fork: nobody sets it meanwhile, and the child can.
void hold_exec_callback() noexcept;
void release_exec_callback() noexcept;

void call_exec_callback(uint32_t model_id, uint32_t vnc, uint64_t job_id, NRT_STATUS status);

} // namespace xtc::nrt
