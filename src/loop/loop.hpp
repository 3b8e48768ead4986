// SPDX-License-Identifier: ISC
// One thread's worth of work. turn() is the whole life of a loop: completions, inbox, due timers, then a
// bounded number of tasks; when there is nothing it sleeps in the driver until somebody posts or time comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <pthread.h>

#include "base/time.hpp"
#include "loop/context.hpp"
#include "loop/driver_factory.hpp"
#include "loop/inbox.hpp"
#include "loop/local.hpp"
#include "loop/ready_queue.hpp"
#include "loop/registry.hpp"
#include "loop/run_class.hpp"
#include "loop/sleep_word.hpp"
#include "loop/stack.hpp"
#include "loop/task.hpp"
#include "loop/task_table.hpp"
#include "loop/timers.hpp"
#include "loop/user_timers.hpp"
#include "loop/wait.hpp"
#include "seam/loop.h"
#include "xtc_res.h"

namespace xtc {

class Exec;

struct SpawnSpec {
    TaskKind kind = TaskKind::plain;
    xtc_task_fn plain = nullptr;
    xtc_coro_fn coro = nullptr;
    xtc_proc_fn proc = nullptr;
    void* arg = nullptr;
    bool keep_result = false;
    size_t stack_size = 0; // 0: the default
    const xtc_proc_opts_t* opts = nullptr;
};

class Loop {
public:
    static constexpr uint32_t kRunsPerTurn = 64; // L6: then completions and timers are looked at again
    static constexpr uint32_t kInboxPerTurn = 1024;

    static int make(Exec* exec, int exec_index, Loop** out);
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    // --- constant
    uint32_t index() const { return index_; } // in the registry
    uint16_t loop_id() const { return loop_id_; }
    Exec* exec() const { return exec_; }
    uint32_t fork_epoch() const { return fork_epoch_; }
    bool inherited() const { return fork_epoch_ != registry::fork_epoch(); }

    // --- any thread
    void post(InboxNode& node); // wakes the loop if it sleeps: one wake call per idle-to-busy edge
    void wake();                // if it sleeps
    void wake_up();             // now, or its next sleep does not begin
    int spawn(const SpawnSpec& spec, Handle* handle, xtc_pid_t* pid); // either may be nullptr
    void request_stop();
    bool has_started() const { return started_.load(std::memory_order_acquire); }
    int set_spin(int64_t max_ns);
    xtc_res_t* res() { return &res_; }
    TaskTable& tasks() { return tasks_; }
    uint64_t runs() const { return runs_.load(std::memory_order_relaxed); }

    // --- the loop's thread
    int run();
    int step(int64_t timeout_ns); // XTC_OK, XTC_E_AGAIN
    // One turn that may sleep until `until` (absolute, or XTC_UNTIL_*). How many things were handled.
    uint32_t turn(uint32_t max_runs, int64_t until);
    int64_t next_deadline() const { return timers_.next_deadline(); }
    bool has_ready() const { return ready_count_ != 0; }
    bool is_runnable() const { return ready_count_ != 0 || backlog_ != nullptr || !inbox_.looks_empty(); }
    uint64_t live() const { return live_ + pending_spawns_.load(std::memory_order_relaxed); }
    int64_t now() const;
    Task* current() const { return current_; }
    const xtc_seam_driver_t* driver_table() const { return driver_.table; }
    void* driver_self() const { return driver_.self; }
    const char* backend() const;
    int ensure_driver();
    int pollfd();
    int attach(const xtc_seam_parts_t& parts);
    const xtc_seam_offload_t* offload(void** self) const;
    void note(xtc_note_kind_t kind, uint64_t a, uint64_t b) {
        if (chooser_ != nullptr) chooser_->note(chooser_self_, kind, a, b);
    }
    uint64_t hash() const;
    int check() const;
    // What is in flight comes home; parked stacks are dropped; called once, by ~Loop or on an exec's worker.
    void shut_down();
    bool is_running() const { return running_.load(std::memory_order_acquire); } // any thread
    void begin_run(); // marks the first run; the executor's worker calls it too
    void end_run();
    void pause_run() {
        running_.store(false, std::memory_order_release);
    } // between two steps on the same thread
    // Somebody else sleeps for us until the next turn: posts must reach the driver.
    void sleep_between_turns();
    // The caller is on the loop, or nobody runs it.
    bool is_callers() const;
    int make_class(int shares, int64_t latency_ns, xtc_run_class** out);
    void set_class(Task& current, xtc_run_class* c);
    bool has_backlog() const { return ready_count_ != 0 || backlog_ != nullptr; }

    // scheduling, for the wait primitive and its friends
    void make_ready(Task& task);
    void wake_task(Task& task, uint32_t epoch); // our own tasks
    void nudge(Task& task);
    void switch_out(Task& task);         // the current fiber leaves; returns when it is resumed
    [[noreturn]] void leave(Task& task); // the current fiber ends
    void arm_timer(TimerNode& node, int64_t deadline) { timers_.push(node, deadline); }
    void disarm_timer(TimerNode& node) {
        if (node.armed()) timers_.remove(node);
    }
    UserTimers& user_timers() { return user_timers_; }
    bool reserve_timer() { return timers_.reserve(tasks_.count() + user_timers_.count() + 1); }
    void live_up();
    void live_down();
    void spawn_arrived(Task& task, bool drop); // from the inbox
    void release(Task& task);                  // ended for good: the slot goes back

    // operations of the driver
    bool start_op(xtc_op_t& op); // false: somebody else holds a side that op claims
    void cancel_op(xtc_op_t& op);
    int try_op(xtc_op_t& op);

    // yield budget
    std::atomic<int64_t> yield_budget{0};
    std::atomic<uint64_t> yield_due{0};
    int64_t yield_interval() const; // the budget, or less where a class asks for it; 0: none
    int64_t quantum_start() const { return quantum_start_; }
    bool stop_requested() const { return stop_.load(std::memory_order_acquire); }
    void take_stop() { stop_.store(false, std::memory_order_relaxed); }
    uint32_t ops_in_flight() const { return op_count_; }

private:
    explicit Loop(Exec* exec, uint16_t loop_id);

    void prepare(Task& task, const SpawnSpec& spec);
    int make_here(const SpawnSpec& spec, Task** out);
    int make_elsewhere(const SpawnSpec& spec, Task** out);
    void start_task(Task& task);
    int give_stack(Task& task);
    void take_completions(int64_t until, uint32_t& handled);
    void finish_op(xtc_op_t& op);
    void drop_inherited();
    int watch_for_host();
    void take_inbox(uint32_t& handled);
    void fire_timers(uint32_t& handled);
    void run_ready(uint32_t max_runs, uint32_t& handled);
    void run_plain(Task& task);
    Task* pop_ready();
    void begin_step();         // a run of a task begins
    void end_step(Task& task); // and is over
    bool has_classes() const { return classes_on_; }
    void join_class(xtc_run_class& c);
    void leave_class(xtc_run_class& c);
    Task* next_fiber(); // to switch to directly from another fiber; nullptr: go back to the turn
    void arrived();     // first thing on every arrival on a stack
    int64_t sleep_or_poll(int64_t until);
    bool spin(int64_t until);
    static void fiber_main(Context& ctx);
    static void on_task_timer(TimerNode& node);

    // constant
    Exec* exec_;
    uint16_t loop_id_;
    uint32_t index_ = 0;
    uint32_t fork_epoch_;

    // any thread
    alignas(64) Inbox inbox_;
    SleepWord sleep_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> started_{false};
    std::atomic<uint64_t> pending_spawns_{0};
    std::atomic<int64_t> spin_max_{0};
    std::atomic<uint64_t> runs_{0};
    xtc_res_t res_{};

    // the loop's thread
    alignas(64) ReadyQueue ready_; // with classes: of the tasks without one
    uint32_t ready_count_ = 0;     // of all queues
    bool classes_on_ = false;
    uint32_t budget_ = 0; // runs left in this turn
    Task* current_ = nullptr;
    uint32_t skipped_ = 0; // runs of this turn that a stop gave up
    Stack zombie_stack_;   // of a fiber that ended: free once nobody stands on it
    Context zombie_ctx_;
    EhGlobals* eh_ = nullptr;
    Context main_;
    uint64_t live_ = 0;
    int64_t quantum_start_ = 0;
    int64_t spin_now_ = 0;
    std::atomic<bool> running_{false};
    bool shut_ = false;
    bool dropping_ = false;
    InboxNode* backlog_ = nullptr; // taken from the inbox, waits for the next turn
    StackPool stacks_;
    TaskTable tasks_;
    TimerHeap timers_;
    UserTimers user_timers_;
    xtc_op_t* ops_ = nullptr; // in flight
    uint32_t op_count_ = 0;
    xtc_op_t* spun_ = nullptr; // found while spinning
    bool pollfd_used_ = false;
    std::unique_ptr<RunClasses> classes_; // made with the first class

    Backend backend_ = Backend::epoll;
    DriverRef driver_{};
    bool driver_lent_ = false;
    Clock lent_clock_{}; // the lent driver's, for the length of a turn
    const xtc_seam_chooser_t* chooser_ = nullptr;
    void* chooser_self_ = nullptr;
    const xtc_seam_offload_t* offload_ = nullptr;
    void* offload_self_ = nullptr;
};

} // namespace xtc
