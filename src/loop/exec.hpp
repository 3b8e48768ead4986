// SPDX-License-Identifier: ISC
// Several loops, each on a thread of its own. The threads are made at the first run and parked between runs,
// since a ring belongs to the thread that made it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread.hpp"
#include "loop/loop.hpp"
#include "seam/loop.h"

namespace xtc {

class Exec {
public:
    static int make(int n_loops, Exec** out);
    ~Exec();
    Exec(const Exec&) = delete;
    Exec& operator=(const Exec&) = delete;

    int run();
    void stop();
    bool is_running() const { return use_.load(std::memory_order_acquire) != Use::idle; }
    // The simulator runs it instead.
    bool begin_lent_run() { return take(Use::running); }
    void end_lent_run() { give_back(); }
    // Nobody runs it meanwhile: run() waits.
    bool hold() { return take(Use::held); }
    void let_go() { give_back(); }
    bool has_started() const { return started_.load(std::memory_order_acquire); }

    int n_loops() const { return static_cast<int>(loops_.size()); }
    Loop* loop(int i) const { return loops_[static_cast<size_t>(i)].get(); }
    Loop* next_in_turn() {
        return loop(static_cast<int>(turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()));
    }

    void set_service_mode(bool on);
    bool service_mode() const { return service_.load(std::memory_order_relaxed); }
    int set_cpus(const int* cpus, int n);
    int set_spin(int64_t max_ns);
    bool is_spinning() const;
    bool inherited() const { return fork_epoch_ != registry::fork_epoch(); }

    // NUMA node of the processor that loop i runs on; -1 when it is not known yet.
    int node_of(int i) const {
        return workers_[static_cast<size_t>(i)]->node.load(std::memory_order_relaxed);
    }

    // Loops with live work, plus hand-overs under way. At 0 the run is over, unless in service mode.
    void busy_up() { busy_.fetch_add(1, std::memory_order_relaxed); }
    void busy_down();
    void at_fini(xtc_seam_fini_t& node);
    void forget_fini(xtc_seam_fini_t& node);
    xtc_seam_fini_t* fini_nodes() const { return fini_nodes_; } // at fini, when nobody adds any more
    bool take_stop() { return stop_.exchange(false, std::memory_order_acq_rel); }

private:
    struct Worker {
        Exec* exec = nullptr;
        int index = 0;
        Thread thread;
        uint64_t runs_done = 0; // under lock_
        int status = 0;         // under lock_
        std::atomic<int> node{-1};
    };

    enum class Use { idle, running, held };

    Exec() = default;
    bool take(Use use);
    int begin_run();
    void give_back();
    static void worker_main(void* arg);
    void work(Worker& w);
    bool over() const {
        return stop_.load(std::memory_order_seq_cst) ||
               (busy_.load(std::memory_order_seq_cst) == 0 && !service_.load(std::memory_order_seq_cst));
    }
    void wake_all();
    int start_workers();
    void pin(Worker& w);

    std::vector<std::unique_ptr<Loop>> loops_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<int> cpus_;
    uint32_t fork_epoch_ = registry::fork_epoch();

    std::mutex lock_;
    std::condition_variable changed_;
    uint64_t runs_asked_ = 0;               // under lock_
    bool ending_ = false;                   // under lock_
    xtc_seam_fini_t* fini_nodes_ = nullptr; // under lock_

    alignas(64) std::atomic<int64_t> busy_{0};
    std::atomic<bool> stop_{false};
    std::atomic<bool> service_{false};
    std::atomic<Use> use_{Use::idle}; // changes under lock_
    std::atomic<bool> started_{false};
    std::atomic<uint32_t> turn_{0};
};

} // namespace xtc
