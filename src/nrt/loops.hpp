// SPDX-License-Identifier: ISC
// The loops that cores live on: the host's executor, or one of our own in service mode with threads nrt-xu/N.
#pragma once

#include <nrt/nrt_status.h>
#include <xtc_exec.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/thread.hpp"
#include "nrt/wait_list.hpp"
#include "seam/loop.h"

namespace xtc::nrt {

class Loops {
public:
    // How often who waits for the host's loops looks whether they still run.
    static constexpr int64_t kLookAgainNs = 10'000'000;

    // `host` may be NULL. Waits until every loop of our own runs. Never on a loop's thread outside a fiber.
    static NRT_STATUS start(xtc_exec_t* host, uint32_t cores, std::unique_ptr<Loops>* out);
    ~Loops(); // after stop(), or not at all in a forked child
    Loops(const Loops&) = delete;
    Loops& operator=(const Loops&) = delete;

    // Ends our own threads. Nothing is left on the loops.
    void stop();

    uint32_t count() const noexcept { return count_; }
    uint32_t index_of(uint32_t core) const noexcept { return core % count_; }
    xtc_exec_t* exec() const noexcept { return exec_; }
    xtc_loop_t* loop_of(uint32_t core) const noexcept {
        return xtc_exec_loop(exec_, static_cast<int>(index_of(core)));
    }

    bool are_hosts() const noexcept { return !own_; }
    // True: the host's loops stand still, or are gone with their executor, and until let_go() nobody runs
    // them.
    bool try_hold() noexcept;
    void let_go() noexcept;
    bool are_gone() const noexcept { return is_gone_.load(); }
    // The caller runs on one of them, and they are the host's.
    bool is_on_hosts() const noexcept { return !own_ && xtc_seam_exec_here() == exec_; }

    // The caller runs on a loop that some start() made.
    static bool is_own_thread() noexcept;

private:
    Loops() = default;
    NRT_STATUS start_own(uint32_t cores);
    static int name_thread(xtc_task_t* self, void* loops);
    static void run(void* loops);
    static int stop_off_loop(void* loops);

    xtc_exec_t* exec_ = nullptr;
    uint32_t count_ = 0;
    bool own_ = false;
    bool is_held_ = false;
    std::atomic<bool> is_gone_{false};
    xtc_seam_fini_t at_fini_{};
    Thread runner_; // inside xtc_exec_run
    WaitList started_;
    std::atomic<uint32_t> running_{0}; // loops that have taken a turn
    std::atomic<bool> ended_{false};
    std::atomic<int> run_status_{0};
};

} // namespace xtc::nrt
