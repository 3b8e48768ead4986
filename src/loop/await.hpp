// SPDX-License-Identifier: ISC
// Waiting for a fiber's result, from another fiber, another loop or a plain thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "loop/inbox.hpp"
#include "loop/task.hpp"
#include "loop/wake_cell.hpp"

namespace xtc {

// Shared by the one who waits and the loop of the fiber waited for; the last to leave frees it.
struct Awaiter : InboxNode {
    WakeCell cell;
    Handle task;
    intptr_t result = 0;
    int status = 0;
    std::atomic<bool> gone{false}; // the one who waits was killed
    std::atomic<int> refs{2};

    void drop() {
        if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
};

// The task ended: hands the result to whoever waits. False: nobody does, keep it.
bool deliver_result(Task& task);
// The loop goes: whoever waits gets XTC_E_ABORTED.
void abort_awaiter(Task& task);

int await_task(xtc_task_t* public_handle, intptr_t* result);

} // namespace xtc
