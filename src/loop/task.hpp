// SPDX-License-Identifier: ISC
// One unit of scheduling: a plain task, a fiber or a process. Its memory stays until the loop goes, so that a
// late wake from another thread finds a number to compare instead of a hole.
#pragma once

#include <atomic>
#include <cstdint>

#include <unwind.h>

#include "base/atomic.hpp"
#include "loop/context.hpp"
#include "loop/inbox.hpp"
#include "loop/stack.hpp"
#include "loop/timers.hpp"
#include "loop/token.hpp"
#include "xtc_async.h"
#include "xtc_loop.h"
#include "xtc_proc.h"
#include "seam/driver.h"

namespace xtc {

class Loop;
struct Message;
struct Awaiter;

enum class TaskKind : uint8_t { plain, coro, proc };

enum class TaskState : uint8_t {
    free,     // in a free list; the generation names nobody
    starting, // made by another thread, its node is in the inbox
    ready,    // in the ready queue
    running,  // current; or below a callee that runs on its stack
    parked,   // waits for a wake of its epoch
    finished  // a fiber that ended; the result waits for xtc_await, the stack is gone
};

// Which moves a task may make. set_state() asserts them.
constexpr bool is_legal(TaskState from, TaskState to) {
    using S = TaskState;
    switch (from) {
    case S::free:
        return to == S::ready || to == S::starting;
    case S::starting:
        return to == S::ready || to == S::finished || to == S::free;
    case S::ready:
        return to == S::running || to == S::free;
    case S::running:
        return to == S::ready || to == S::parked || to == S::finished || to == S::free;
    case S::parked:
        return to == S::ready || to == S::free;
    case S::finished:
        return to == S::free;
    }
    return false;
}
static_assert(!is_legal(TaskState::parked, TaskState::running), "every wake goes through the ready queue");
static_assert(!is_legal(TaskState::free, TaskState::running), "nothing runs unqueued");

// What a kill does to a wait.
enum class OnKill : uint8_t {
    unwind, // leaves by unwinding from inside park(); a mask holds it back
    report, // park() returns Woke::killed as soon as a kill is asked for, masked or not
    ignore  // the wait goes on: somebody else still writes to our memory
};

// What a parked fiber waits for, for people who look from outside.
enum class ParkReason : uint8_t { none, fd, timer, mailbox, other };

// Something on a parked fiber's stack that others may reach; the loop undoes it when it drops the stack.
struct DropHook {
    void (*drop)(DropHook& self) = nullptr;
    DropHook* next = nullptr;
};

struct ExitHooks {
    uint8_t count = 0;
    struct {
        void (*fn)(void*);
        void* arg;
    } hooks[XTC_PROC_AT_EXIT_MAX];
};

inline constexpr size_t kNameMax = 32;

struct alignas(64) Task {
    // --- all that a yield touches, in one line of the cache (but the context's entry)
    Loop* loop = nullptr;                          // constant while the loop lives
    Task* next = nullptr;                          // in the ready queue or a free list; the loop's thread
    std::atomic<uint64_t> kill_word{0};            // any thread: gen << 40 | asked << 32 | reason
    std::atomic<TaskState> state{TaskState::free}; // the loop's thread; read by anybody who inspects
    TaskKind kind = TaskKind::plain;
    bool latched = false; // woken for this epoch before it parked
    bool nudged = false;  // woken without a token: plain tasks run again, fd waits end
    bool timed_out = false;
    OnKill on_kill = OnKill::ignore; // of the wait it is in
    bool unwinding = false;
    bool in_exit = false; // hooks run: kills are over
    Context ctx;

    // --- constant while the loop lives
    uint32_t slot = 0;
    bool remote_slot = false; // goes back to the free list that other threads take from

    // --- any thread
    std::atomic<uint32_t> gen{0};  // the life this slot is in; even a finished record has one
    std::atomic<bool> live{false}; // handles and pids of this life name something
    std::atomic<bool> is_process{false};
    atomic<uint64_t> remote{0}; // wakes from other threads that wait in the inbox: see remote_wake
    struct RemoteNode : InboxNode {
        Task* task = nullptr;
    } node;                             // carries `remote`
    std::atomic<uint64_t> mail_word{0}; // gen << 32 | messages in the mailbox or on their way
    std::atomic<uint32_t> mail_cap{0};
    std::atomic<uint32_t> mail_mark{0}; // watermark depth, 0 none
    std::atomic<void (*)(xtc_pid_t, size_t, size_t, void*)> mark_fn{nullptr};
    std::atomic<void*> mark_user{nullptr};
    std::atomic<uint64_t> drop_total{0};
    // written on the loop's thread, read by anybody who inspects
    std::atomic<ParkReason> park_reason{ParkReason::none};
    std::atomic<bool> function_ended{false};
    std::atomic<uint32_t> mask_depth{0};
    std::atomic<uint32_t> mail_peak{0};
    std::atomic<uint64_t> recv_total{0};

    // --- the loop's thread only
    bool mail_wakes = false;
    bool keep_result = false;
    uint32_t epoch = 0; // of the current sleep; goes on over lives
    uint32_t lives = 0;

    Stack stack;
    struct SleepTimer : TimerNode {
        Task* task = nullptr;
    } timer;

    union {
        xtc_task_fn plain;
        xtc_coro_fn coro;
        xtc_proc_fn proc;
    } fn{};
    void* arg = nullptr;
    intptr_t result = 0; // or the exit reason of a process
    size_t stack_size = 0;
    xtc_run_class* run_class = nullptr;
    Awaiter* awaiter = nullptr;            // who waits in xtc_await; we hold a reference
    const void* entry_frame = nullptr;     // where unwinding ends
    _Unwind_Exception* unwinder = nullptr; // in the entry frame
    DropHook* drop_hooks = nullptr;
    xtc_op_t* park_op = nullptr; // of a plain task that waits for an fd
    int drained_fd = -1;         // the fiber's last read left nothing in this socket

    Message* mail_head = nullptr;
    Message* mail_tail = nullptr;
    ExitHooks* exit_hooks = nullptr;
    void* userdata = nullptr;
    char name[kNameMax] = {};

    bool is_fiber() const { return kind != TaskKind::plain; }
    TaskState now_in() const { return state.load(std::memory_order_relaxed); }
    void set_state(TaskState to);

    Handle handle() const;
    xtc_pid_t pid() const;
    WakeToken token() const; // of the sleep that begin_sleep() opened

    // A kill was asked for and no mask holds it back.
    bool kill_asked() const { return (kill_word.load(std::memory_order_relaxed) >> 32 & 1) != 0; }
    bool kill_due() const {
        return kill_asked() && mask_depth.load(std::memory_order_relaxed) == 0 && !in_exit && !unwinding;
    }
    int kill_reason() const {
        return static_cast<int>(static_cast<uint32_t>(kill_word.load(std::memory_order_relaxed)));
    }
};

} // namespace xtc
