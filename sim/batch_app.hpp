// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/prng.hpp"
#include "check_batch.hpp"
#include "complaints.hpp"
#include "swarm.hpp"
#include "xtc_batch.h"
#include "xtc_exec.h"
#include "xtc_proc.h"

namespace xtc::sim {

// One application around one group: its callbacks, its requests and the device behind them. Clients on any
// loop use it; every call and callback is told to the oracle.
class BatchApp {
public:
    struct Request {
        uint32_t iterations_left;
        xtc_promise_t* reply; // set when it completes; may be null
        bool ended = false;
    };

    BatchApp(uint64_t seed, int index, const Swarm& swarm, xtc_exec_t* exec, Complaints& complaints);
    ~BatchApp();
    BatchApp(const BatchApp&) = delete;
    BatchApp& operator=(const BatchApp&) = delete;

    int create();
    void heal() noexcept { healed_ = true; }

    // By whichever way the calling loop may use; null: this loop has none.
    bool on_owner_loop() const;
    bool has_mt() const noexcept { return rules_.mt_queue_cap > 0; }
    bool can_submit_here() const { return on_owner_loop() || rules_.mt_queue_cap > 0; }
    // XTC_OK, XTC_E_AGAIN or what else the group answered. The future is the caller's with XTC_OK only.
    int submit(Prng& draw, bool want_reply, uint64_t* handle, xtc_future_t** reply);
    int cancel(Prng& draw, uint64_t handle);
    int resume(Prng& draw, uint64_t handle);
    void meddle_with_any(Prng& draw); // cancel or resume a request in whatever state it is, or was
    int close(enum xtc_batch_close_mode mode);
    int try_destroy();
    int drain_for(int64_t timeout_ns);
    int destroy_and_judge(); // XTC_E_AGAIN: the driver is still there
    void kill_driver();
    void call_from_wrong_loop();
    void look_at_stats();

    bool is_over() const { return oracle_.is_closed() && oracle_.live() == 0; }
    bool is_healed() const noexcept { return healed_; }
    bool is_destroyed() const noexcept { return group_ == nullptr; }
    int owner() const noexcept { return owner_; }
    std::vector<uint64_t>& blocked() noexcept { return blocked_; }
    const BatchOracle& oracle() const noexcept { return oracle_; }
    uint64_t completed_ok() const noexcept { return completed_ok_; }
    bool leaves_nothing(); // after the end: complains about what is left of the host's own

private:
    struct Op;

    static int step(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, void*);
    static int submit_op(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t*);
    static int collect(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int, void*);
    static void complete(uint64_t, void*, int, void*);
    static void hint(uint64_t, void*, void*);
    static void device(void* op);
    static int closure(void* op);

    uint64_t any_handle(Prng& draw) const;
    int draw_code();
    int decide(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count);
    void dawdle(); // a callback takes its time
    void meddle(); // a callback calls the group
    bool launch(Op& op, xtc_batch_exec_t& out);
    void deliver(Op& op); // the device's end of the token
    void reap(Op& op);    // gone once both sides are through with it

    const Swarm& swarm_;
    xtc_exec_t* exec_;
    Complaints& complaints_;
    Prng draw_;
    int owner_;
    BatchRules rules_;
    BatchOracle oracle_;
    xtc_batch_t* group_ = nullptr;
    xtc_pid_t driver_ = XTC_PID_NONE;
    bool healed_ = false;
    bool exits_inside_; // once, a callback ends the driver

    std::deque<Request> requests_; // the addresses are the group's
    std::map<uint64_t, std::unique_ptr<Op>> ops_;
    std::vector<uint64_t> issued_;
    std::vector<uint64_t> blocked_;
    uint64_t last_op_ = 0;
    uint64_t current_op_ = 0;
    uint64_t completed_ok_ = 0;
    size_t open_promises_ = 0;
};

} // namespace xtc::sim
