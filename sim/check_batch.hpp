// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "complaints.hpp"
#include "xtc_batch.h"

namespace xtc::sim {

// What a group was made with, as far as its behaviour can be told from outside.
struct BatchRules {
    bool async = false;
    size_t capacity = 1;
    size_t max_active = 1;
    uint64_t units = 1;
    size_t mt_queue_cap = 0;
    int64_t exec_timeout_ns = 0;
    int64_t patience_ns = 1'000'000'000; // how long the world may take over what should happen at once
};

// Watches one group from outside: it is told every call made to it and every callback it makes, keeps its own
// books and complains when the two do not agree with the manual. Shares no code with what it checks.
class BatchOracle {
public:
    BatchOracle(const BatchRules& rules, Complaints& complaints) : rules_(rules), complaints_(complaints) {}

    // Calls to the group, when they have returned.
    void submitted(bool mt, uint64_t charge, int status, uint64_t handle);
    void cancelled(bool mt, uint64_t handle, int status, int64_t now);
    void resumed(bool mt, uint64_t handle, int status);
    void closed(enum xtc_batch_close_mode mode, int status, int64_t now);
    void destroyed(int status);
    void driver_killed() { killed_ = true; }
    // xtc_batch_drain_for has begun: closed at once, and cancelled at a time that can not be seen from
    // outside.
    void may_be_cancelled() {
        close_mode_ = XTC_BATCH_DRAIN;
        cancel_unseen_ = true;
    }

    // Callbacks of the group. Every one begins with entered and ends with left.
    void entered();
    void left();
    void vector(std::span<const xtc_batch_item_t> items); // step or submit begins
    void refused(int code);                               // submit returned nonzero
    void launched(uint64_t op, int kind, int64_t now);    // submit returned XTC_OK
    void collected(uint64_t op, std::span<const xtc_batch_item_t> items, int exec_status, int64_t now);
    void results(std::span<const xtc_batch_result_t> results, int code); // step or collect returns code
    void hinted(uint64_t handle);
    void completed(uint64_t handle, int outcome);

    // The device, before it signals: the operation no longer touches anything. error: what the group will be
    // told instead of EXEC_OK, if the token says so.
    void device_finished(uint64_t op, int error = XTC_OK);
    // The token is one that can not be awaited, or may be refused; then that is what collect is told.
    void unawaitable(uint64_t op, int error) { ops_[op].unawaitable.insert(error); }

    // The driver has gone and nothing runs any more.
    void finished(const xtc_batch_stats_t& stats, const xtc_batch_async_stats_t& async_stats);
    // At any time.
    void snapshot(const xtc_batch_stats_t& stats);
    void overdue(int64_t now); // complains about what should have happened by now

    size_t live() const noexcept { return live_.size(); }
    bool is_live(uint64_t handle) const { return live_.contains(handle); }
    uint64_t accepted() const noexcept { return accepted_; }
    bool is_closed() const noexcept { return close_mode_ != 0 || killed_; }
    bool in_callback() const noexcept { return in_callback_; }

private:
    struct Member {
        uint64_t charge = 0;
        bool mt = false;
        bool admitted = false;      // seen in a vector
        bool blocked = false;       // by the last result
        bool resumed = false;       // since its last vector began, or blocked
        bool resume_sure = false;   // by the owner loop: in effect at once
        bool cancel_sure = false;   // by the owner loop: in effect at once
        bool cancel_posted = false; // from another loop: in effect at the next boundary
        int64_t cancelled_at = 0;
        uint64_t op = 0;            // its operation, not collected
        std::set<int> owed;         // it must complete now, with one of these
        bool natural_abort = false; // ABORTED would come from the operation, not from a cancel
    };
    struct Op {
        int kind = 0;
        int64_t begun = 0;
        bool is_launched = false, is_collected = false, is_finished = false;
        int error = XTC_OK;
        std::set<int> unawaitable;
        std::vector<uint64_t> handles;
        std::set<uint64_t> hinted;
    };
    struct Totals {
        uint64_t ok = 0, aborted = 0, aborted_maybe_failed = 0, other = 0;
        uint64_t iterations = 0, members = 0, max_vector = 0;
        uint64_t rejections = 0, mt_rejections = 0, offloads = 0, timeouts = 0, errors = 0;
    };

    bool is_cancelling(const Member& member) const {
        return member.cancel_sure || member.cancel_posted || cancel_unseen_;
    }
    void owner_call(const char* what, int status);
    void judge_submit_refusal(bool mt, uint64_t charge, int status);
    void judge_member_of_vector(uint64_t handle);
    void judge_vector_order(const std::vector<uint64_t>& handles);
    void judge_status(const Op& op, uint64_t id, int exec_status, int64_t now);
    std::optional<int> natural_outcome(const xtc_batch_result_t& result, int code) const;
    void owe(Member& member, std::optional<int> natural);

    const BatchRules rules_;
    Complaints& complaints_;
    std::map<uint64_t, Member> live_;
    std::map<uint64_t, Op> ops_;
    std::set<uint64_t> done_;
    std::vector<uint64_t> vector_;   // the last one handed out
    std::optional<int> exec_status_; // of the collect in progress
    uint64_t current_op_ = 0;
    uint64_t completing_ = 0;
    bool in_callback_ = false;
    bool killed_ = false;
    bool cancel_unseen_ = false;
    int close_mode_ = 0;
    int64_t cancel_closed_at_ = 0;
    uint64_t last_handle_ = 0;
    uint64_t accepted_ = 0;
    Totals totals_;
};

} // namespace xtc::sim
