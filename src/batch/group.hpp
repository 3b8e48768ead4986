// SPDX-License-Identifier: ISC
//
// What a batch group is. The files beside this one each do one thing with it: boundary.cpp what happens
// between vectors, step.cpp and operation.cpp the two kinds of iteration, complete.cpp the ends, engine.cpp
// the order of it all on the driver process.
#pragma once

#include "base/assert.hpp"
#include "batch/closing.hpp"
#include "batch/handin.hpp"
#include "batch/handles.hpp"
#include "batch/members.hpp"
#include "batch/stats.hpp"
#include "batch/vector.hpp"
#include "loop/loop.hpp"
#include "loop/wake_cell.hpp"

#include <xtc_batch.h>

#include <memory>

namespace xtc {

struct Callbacks {
    xtc_batch_step_fn step = nullptr;     // a synchronous group has this one,
    xtc_batch_submit_fn submit = nullptr; // an asynchronous one the next two
    xtc_batch_collect_fn collect = nullptr;
    xtc_batch_complete_fn complete = nullptr;
    xtc_batch_cancel_hint_fn cancel_hint = nullptr; // may be missing
    void* user = nullptr;
};

struct GroupLimits {
    size_t capacity = 0;
    size_t max_active = 0;
    uint64_t resource_capacity = 0;
    int64_t exec_timeout_ns = 0; // 0: none
    size_t mt_queue_cap = 0;
};

// A fiber in xtc_batch_drain_for; on its stack.
struct DrainWaiter {
    WakeCell gone;
    DrainWaiter* next = nullptr;
};

struct Group {
    // constant after create
    Loop* loop = nullptr;
    uint32_t fork_epoch = 0;
    xtc_pid_t driver = {};
    Callbacks callbacks;
    GroupLimits limits;
    xtc_exec_class_t sched_class = nullptr; // ours until we are destroyed
    int64_t charged_bytes = 0;

    // the owner loop's thread
    Members members;
    StepVector vector;
    GroupStats stats;
    Closing closing;
    bool in_callback = false;
    bool exiting = false; // the driver was killed or left; nothing runs any more
    bool finished = false;
    enum class Op : uint8_t { none, outstanding, collecting } op = Op::none;
    DrainWaiter* drain_waiters = nullptr;

    std::unique_ptr<Handin> handin; // none: no _mt calls; constant, what is in it is for any thread

    // any thread
    alignas(64) Handles handles;
    alignas(64) WakeCell boundary; // a permit: there is something to look at between vectors
    alignas(64) std::atomic<uint64_t> mt_rejections{0};

    bool is_inherited() const { return fork_epoch != registry::fork_epoch(); }
    bool is_async() const { return callbacks.submit != nullptr; }
};

// While one lives, the calls that change the group answer XTC_E_DEADLK. It also ends when the callback leaves
// by unwinding.
class CallbackScope {
public:
    explicit CallbackScope(Group& group) : group_(group) {
        XTC_ASSERT(!group_.in_callback);
        group_.in_callback = true;
    }
    ~CallbackScope() { group_.in_callback = false; }
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;

private:
    Group& group_;
};

} // namespace xtc

// The public handle is the group itself.
struct xtc_batch : xtc::Group {};
