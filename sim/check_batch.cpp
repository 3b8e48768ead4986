// SPDX-License-Identifier: ISC
#include "check_batch.hpp"

#include <algorithm>
#include <cinttypes>

namespace xtc::sim {

namespace {

bool is_error_code(int code) {
    return code <= XTC_E_INVAL && code >= XTC_E_IO;
}

} // namespace

// ---- calls to the group

void BatchOracle::owner_call(const char* what, int status) {
    if (in_callback_ && status != XTC_E_DEADLK) {
        complaints_.add("%s inside a callback answered %d, not DEADLK", what, status);
    }
    if (!in_callback_ && status == XTC_E_DEADLK)
        complaints_.add("%s outside any callback answered DEADLK", what);
}

void BatchOracle::judge_submit_refusal(bool mt, uint64_t charge, int status) {
    if (status == XTC_E_AGAIN) (mt ? totals_.mt_rejections : totals_.rejections)++;
    if (status == XTC_E_RANGE) {
        if (!mt) totals_.rejections++;
        if (charge >= 1 && charge <= rules_.units) {
            complaints_.add("a charge of %" PRIu64 " was out of range", charge);
        }
        return;
    }
    if (status == XTC_E_DEADLK && !mt) return; // judged already
    if (status != XTC_E_AGAIN) {
        complaints_.add("submit answered %d", status);
        return;
    }
    if (is_closed()) return;
    if (!mt) {
        if (live_.size() < rules_.capacity)
            complaints_.add("submit refused with %zu slots free", rules_.capacity - live_.size());
        return;
    }
    const auto handed_in =
        static_cast<size_t>(std::count_if(live_.begin(), live_.end(), [](const auto& entry) {
            return entry.second.mt && !entry.second.admitted;
        }));
    if (handed_in < rules_.mt_queue_cap)
        complaints_.add("submit_mt refused with %zu hand-ins under way", handed_in);
}

void BatchOracle::submitted(bool mt, uint64_t charge, int status, uint64_t handle) {
    if (!mt) owner_call("submit", status);
    if (status != XTC_OK) {
        judge_submit_refusal(mt, charge, status);
        return;
    }
    if (close_mode_ != 0) complaints_.add("a closed group accepted a request");
    if (charge < 1 || charge > rules_.units) complaints_.add("a charge of %" PRIu64 " was accepted", charge);
    if (handle <= last_handle_) complaints_.add("handle %" PRIu64 " after %" PRIu64, handle, last_handle_);
    last_handle_ = handle;
    accepted_++;
    live_[handle].charge = charge;
    live_[handle].mt = mt;
    // A hand-in that was cancelled on its way never takes a slot.
    const auto in_slots = std::count_if(live_.begin(), live_.end(), [this](const auto& entry) {
        const Member& member = entry.second;
        return !member.mt || member.admitted || !is_cancelling(member);
    });
    if (!mt && static_cast<size_t>(in_slots) > rules_.capacity) {
        complaints_.add("submit accepted a request beyond capacity");
    }
    if (live_.size() > rules_.capacity + rules_.mt_queue_cap) {
        complaints_.add("%zu requests accepted, more than slots and hand-ins", live_.size());
    }
}

void BatchOracle::cancelled(bool mt, uint64_t handle, int status, int64_t now) {
    if (!mt) owner_call("cancel", status);
    if (mt && status == XTC_E_AGAIN) totals_.mt_rejections++;
    const auto found = live_.find(handle);
    if (status != XTC_OK) {
        if (status == XTC_E_INVAL && found != live_.end() && handle != completing_ && !killed_) {
            complaints_.add("cancel did not know the live request %" PRIu64, handle);
        }
        return;
    }
    if (found == live_.end()) {
        if (!mt) complaints_.add("cancel accepted the ended request %" PRIu64, handle);
        return;
    }
    Member& member = found->second;
    if (!member.cancel_sure && !member.cancel_posted) member.cancelled_at = now;
    (mt ? member.cancel_posted : member.cancel_sure) = true;
}

void BatchOracle::resumed(bool mt, uint64_t handle, int status) {
    if (!mt) owner_call("resume", status);
    if (mt && status == XTC_E_AGAIN) totals_.mt_rejections++;
    const auto found = live_.find(handle);
    if (status != XTC_OK || found == live_.end()) return;
    found->second.resumed = true;
    if (!mt) found->second.resume_sure = true;
}

void BatchOracle::closed(enum xtc_batch_close_mode mode, int status, int64_t now) {
    owner_call("close", status);
    if (status == XTC_E_DEADLK) return;
    if (status != XTC_OK) {
        complaints_.add("close answered %d", status);
        return;
    }
    if (close_mode_ == XTC_BATCH_CANCEL) return;
    close_mode_ = mode;
    if (mode != XTC_BATCH_CANCEL) return;
    cancel_closed_at_ = now;
    for (auto& [handle, member] : live_) {
        if (!member.owed.empty()) continue;
        if (!member.cancel_sure && !member.cancel_posted) member.cancelled_at = now;
        member.cancel_sure = true;
    }
}

void BatchOracle::destroyed(int status) {
    owner_call("destroy", status);
    if (status != XTC_OK) return;
    if (!is_closed()) complaints_.add("an open group was destroyed");
    if (!live_.empty()) complaints_.add("destroyed with %zu requests not completed", live_.size());
}

// ---- callbacks of the group

void BatchOracle::entered() {
    if (in_callback_) complaints_.add("a callback began inside another");
    in_callback_ = true;
}

void BatchOracle::left() {
    in_callback_ = false;
    if (completing_ != 0) live_.erase(completing_); // its slot and record go back now
    completing_ = 0;
}

void BatchOracle::judge_member_of_vector(uint64_t handle) {
    const auto found = live_.find(handle);
    if (found == live_.end()) {
        complaints_.add("%s request %" PRIu64 " in a vector", done_.contains(handle) ? "ended" : "unknown",
                        handle);
        return;
    }
    Member& member = found->second;
    if (member.op != 0) complaints_.add("request %" PRIu64 " in a second vector before collect", handle);
    for (const auto& [id, op] : ops_) {
        if (op.is_launched && !op.is_finished &&
            std::count(op.handles.begin(), op.handles.end(), handle) != 0) {
            complaints_.add("request %" PRIu64 " in a vector while operation %" PRIu64 " may still run",
                            handle, id);
        }
    }
    if (member.cancel_sure) complaints_.add("cancelled request %" PRIu64 " in a vector", handle);
    if (member.cancel_posted) complaints_.add("request %" PRIu64 " in a vector after its cancel", handle);
    if (member.blocked && !member.resumed) complaints_.add("blocked request %" PRIu64 " in a vector", handle);
    member.blocked = member.resumed = member.resume_sure = false;
}

void BatchOracle::judge_vector_order(const std::vector<uint64_t>& handles) {
    // First come, first served: whoever is younger than the youngest newcomer has come in before or with it.
    uint64_t youngest_new = 0;
    for (const uint64_t handle : handles) {
        const auto found = live_.find(handle);
        if (found != live_.end() && !found->second.admitted) youngest_new = std::max(youngest_new, handle);
    }
    const std::set<uint64_t> present(handles.begin(), handles.end());
    if (present.size() != handles.size()) complaints_.add("a request twice in one vector");
    uint64_t units = 0;
    size_t active = 0;
    for (auto& [handle, member] : live_) {
        const bool in = present.contains(handle);
        const bool cancelling = is_cancelling(member);
        if (!in && !member.admitted && handle < youngest_new && !cancelling) {
            complaints_.add("request %" PRIu64 " was overtaken by %" PRIu64, handle, youngest_new);
        }
        const bool ready = member.admitted && (!member.blocked || member.resume_sure);
        if (!in && ready && !cancelling)
            complaints_.add("ready request %" PRIu64 " left out of a vector", handle);
        if (!member.owed.empty())
            complaints_.add("request %" PRIu64 " not completed before the next vector", handle);
        if (in) member.admitted = true;
        if (member.admitted) {
            units += member.charge;
            active++;
        }
    }
    if (units > rules_.units) complaints_.add("%" PRIu64 " units in use of %" PRIu64, units, rules_.units);
    if (active > rules_.max_active) complaints_.add("%zu requests active of %zu", active, rules_.max_active);
}

void BatchOracle::vector(std::span<const xtc_batch_item_t> items) {
    std::vector<uint64_t> handles;
    for (const xtc_batch_item_t& item : items) handles.push_back(item.handle);
    if (killed_) complaints_.add("a vector after the driver was killed");
    if (handles.empty()) complaints_.add("an empty vector");
    if (handles.size() > rules_.max_active) {
        complaints_.add("a vector of %zu, more than %zu", handles.size(), rules_.max_active);
    }
    if (current_op_ != 0) complaints_.add("a vector while operation %" PRIu64 " is outstanding", current_op_);
    judge_vector_order(handles); // before the members' flags move on
    for (const uint64_t handle : handles) judge_member_of_vector(handle);
    totals_.iterations++;
    totals_.members += handles.size();
    totals_.max_vector = std::max<uint64_t>(totals_.max_vector, handles.size());
    vector_ = std::move(handles);
    exec_status_.reset();
}

void BatchOracle::refused(int code) {
    const int outcome = is_error_code(code) ? code : XTC_E_INTERNAL;
    for (const uint64_t handle : vector_) {
        if (const auto found = live_.find(handle); found != live_.end()) owe(found->second, outcome);
    }
}

void BatchOracle::launched(uint64_t op, int kind, int64_t now) {
    Op& record = ops_[op];
    record.kind = kind;
    record.begun = now;
    record.is_launched = true;
    record.handles = vector_;
    if (kind == XTC_BATCH_EXEC_SYNC) record.is_finished = true;
    if (kind < XTC_BATCH_EXEC_SYNC || kind > XTC_BATCH_EXEC_BLOCKING) {
        record.is_finished = true;
        record.unawaitable.insert(XTC_E_INVAL);
    }
    if (kind == XTC_BATCH_EXEC_FENCE || kind == XTC_BATCH_EXEC_FUTURE || kind == XTC_BATCH_EXEC_BLOCKING) {
        totals_.offloads++;
    }
    for (const uint64_t handle : vector_) {
        if (const auto found = live_.find(handle); found != live_.end()) found->second.op = op;
    }
    current_op_ = op;
}

void BatchOracle::judge_status(const Op& op, uint64_t id, int exec_status, int64_t now) {
    const bool blocking = op.kind == XTC_BATCH_EXEC_BLOCKING;
    if (exec_status == XTC_BATCH_EXEC_OK) {
        if (!op.is_finished) complaints_.add("operation %" PRIu64 " collected as done while it runs", id);
        if (op.error != XTC_OK)
            complaints_.add("operation %" PRIu64 " failed with %d, collected as done", id, op.error);
        if (op.unawaitable.contains(XTC_E_INVAL))
            complaints_.add("a bad token of operation %" PRIu64 " was awaited", id);
    } else if (exec_status == XTC_BATCH_EXEC_TIMEOUT) {
        if (rules_.exec_timeout_ns == 0 || blocking || op.kind == XTC_BATCH_EXEC_SYNC) {
            complaints_.add("operation %" PRIu64 " of kind %d timed out", id, op.kind);
        }
        if (now - op.begun < rules_.exec_timeout_ns) {
            complaints_.add("operation %" PRIu64 " timed out after %" PRId64 " ns", id, now - op.begun);
        }
    } else if (exec_status == XTC_BATCH_EXEC_ABORTED) {
        const bool can_abort = !blocking && op.kind != XTC_BATCH_EXEC_SYNC;
        const bool was_cancelled = close_mode_ == XTC_BATCH_CANCEL || cancel_unseen_;
        if (!killed_ && !(can_abort && was_cancelled)) {
            complaints_.add("operation %" PRIu64 " of kind %d aborted for no reason", id, op.kind);
        }
    } else if (!op.unawaitable.contains(exec_status) && (op.error != exec_status || !op.is_finished)) {
        complaints_.add("operation %" PRIu64 " of kind %d ended with status %d", id, op.kind, exec_status);
    }
}

void BatchOracle::collected(uint64_t id, std::span<const xtc_batch_item_t> items, int exec_status,
                            int64_t now) {
    const auto found = ops_.find(id);
    if (found == ops_.end() || !found->second.is_launched) {
        complaints_.add("collect without an operation");
        return;
    }
    Op& op = found->second;
    if (op.is_collected) complaints_.add("operation %" PRIu64 " collected twice", id);
    op.is_collected = true;
    const bool same =
        items.size() == op.handles.size() &&
        std::equal(items.begin(), items.end(), op.handles.begin(),
                   [](const xtc_batch_item_t& item, uint64_t handle) { return item.handle == handle; });
    if (!same) complaints_.add("operation %" PRIu64 " collected with another vector", id);
    judge_status(op, id, exec_status, now);
    if (exec_status == XTC_BATCH_EXEC_TIMEOUT) totals_.timeouts++;
    if (exec_status < 0) totals_.errors++;
    if (op.unawaitable.contains(exec_status)) op.is_finished = true; // it never began
    for (const uint64_t handle : op.handles) {
        if (const auto member = live_.find(handle); member != live_.end()) member->second.op = 0;
    }
    exec_status_ = exec_status;
    vector_ = op.handles;
    current_op_ = 0;
    if (op.is_finished) ops_.erase(found);
}

std::optional<int> BatchOracle::natural_outcome(const xtc_batch_result_t& result, int code) const {
    const int status = exec_status_.value_or(XTC_BATCH_EXEC_OK);
    if (status == XTC_BATCH_EXEC_ABORTED) return XTC_E_ABORTED;
    if (status < 0) return status;
    if (code != 0) return is_error_code(code) ? code : XTC_E_INTERNAL;
    switch (result.state) {
    case XTC_BATCH_DONE:
        return XTC_OK;
    case XTC_BATCH_ERROR:
        return is_error_code(result.error) ? result.error : XTC_E_INTERNAL;
    case XTC_BATCH_CONTINUE:
    case XTC_BATCH_BLOCKED:
        if (status == XTC_BATCH_EXEC_TIMEOUT) return XTC_E_AGAIN;
        return std::nullopt;
    case XTC_BATCH_UNSET:
        if (status == XTC_BATCH_EXEC_TIMEOUT) return XTC_E_AGAIN;
        return XTC_E_INTERNAL;
    default:
        return XTC_E_INTERNAL;
    }
}

void BatchOracle::owe(Member& member, std::optional<int> natural) {
    const bool from_engine = exec_status_ == XTC_BATCH_EXEC_ABORTED;
    if (member.cancel_sure) {
        member.owed = {XTC_E_ABORTED};
    } else if (natural) {
        member.owed = {*natural};
        member.natural_abort = *natural == XTC_E_ABORTED && !from_engine;
        if (is_cancelling(member)) member.owed.insert(XTC_E_ABORTED);
    }
}

void BatchOracle::results(std::span<const xtc_batch_result_t> results, int code) {
    for (size_t i = 0; i < vector_.size(); i++) {
        const auto found = live_.find(vector_[i]);
        if (found == live_.end()) continue;
        found->second.blocked = results[i].state == XTC_BATCH_BLOCKED;
        owe(found->second, natural_outcome(results[i], code));
    }
}

void BatchOracle::hinted(uint64_t handle) {
    const auto found = live_.find(handle);
    if (found == live_.end() || found->second.op == 0) {
        complaints_.add("a hint for request %" PRIu64 ", which has no operation", handle);
        return;
    }
    const Member& member = found->second;
    if (!is_cancelling(member) && !killed_) {
        complaints_.add("a hint for request %" PRIu64 ", which nobody cancelled", handle);
    }
    if (!ops_[member.op].hinted.insert(handle).second)
        complaints_.add("two hints for request %" PRIu64, handle);
}

void BatchOracle::completed(uint64_t handle, int outcome) {
    const auto found = live_.find(handle);
    if (found == live_.end()) {
        complaints_.add("%s request %" PRIu64 " completed", done_.contains(handle) ? "ended" : "unknown",
                        handle);
        return;
    }
    Member& member = found->second;
    if (member.op != 0)
        complaints_.add("request %" PRIu64 " completed before its operation was collected", handle);
    const bool cancelling = is_cancelling(member);
    bool legal = member.owed.contains(outcome);
    if (member.owed.empty())
        legal = (outcome == XTC_E_ABORTED && cancelling) || (outcome == XTC_E_INTERNAL && killed_);
    if (!legal) complaints_.add("request %" PRIu64 " ended with %d, which nothing explains", handle, outcome);
    if (outcome == XTC_OK) {
        totals_.ok++;
    } else if (outcome != XTC_E_ABORTED) {
        totals_.other++;
    } else if (member.natural_abort) {
        totals_.aborted_maybe_failed++;
    } else {
        totals_.aborted++;
    }
    done_.insert(handle);
    completing_ = handle;
}

void BatchOracle::device_finished(uint64_t op, int error) {
    Op& record = ops_[op];
    record.is_finished = true;
    record.error = error;
    if (record.is_collected) ops_.erase(op);
}

// ---- statistics

void BatchOracle::snapshot(const xtc_batch_stats_t& stats) {
    if (stats.reserved_units > rules_.units) {
        complaints_.add("%" PRIu64 " units reserved of %" PRIu64, stats.reserved_units, rules_.units);
    }
    if (stats.ready + stats.blocked > rules_.max_active) {
        complaints_.add("%" PRIu64 " ready and %" PRIu64 " blocked", stats.ready, stats.blocked);
    }
    const uint64_t inside = stats.queued + stats.ready + stats.blocked;
    if (inside > live_.size())
        complaints_.add("%" PRIu64 " requests counted, %zu alive", inside, live_.size());
    const uint64_t ended = stats.completed + stats.cancelled + stats.failed;
    if (ended > accepted_) complaints_.add("%" PRIu64 " ended of %" PRIu64 " accepted", ended, accepted_);
}

void BatchOracle::overdue(int64_t now) {
    for (const auto& [handle, member] : live_) {
        const bool cancelled = member.cancel_sure || member.cancel_posted;
        if (cancelled && member.op == 0 && handle != completing_ &&
            now - member.cancelled_at > rules_.patience_ns) {
            complaints_.add("request %" PRIu64 " was cancelled long ago", handle);
        }
    }
    const auto current = ops_.find(current_op_);
    if (current == ops_.end()) return;
    const Op& op = current->second;
    if (op.kind != XTC_BATCH_EXEC_FENCE && op.kind != XTC_BATCH_EXEC_FUTURE) return;
    const int64_t timeout = rules_.exec_timeout_ns;
    if (timeout > 0 && now - op.begun - timeout > rules_.patience_ns) {
        complaints_.add("operation %" PRIu64 " has outlived its timeout", current->first);
    }
    if (close_mode_ == XTC_BATCH_CANCEL && now - cancel_closed_at_ > rules_.patience_ns) {
        complaints_.add("operation %" PRIu64 " has outlived a close", current->first);
    }
}

void BatchOracle::finished(const xtc_batch_stats_t& stats, const xtc_batch_async_stats_t& async_stats) {
    const auto same = [this](const char* what, uint64_t theirs, uint64_t ours) {
        if (theirs != ours) complaints_.add("%s is %" PRIu64 ", should be %" PRIu64, what, theirs, ours);
    };
    for (const auto& [handle, member] : live_) complaints_.add("request %" PRIu64 " never completed", handle);
    for (const auto& [id, op] : ops_) {
        if (op.is_launched && !op.is_collected) complaints_.add("operation %" PRIu64 " never collected", id);
    }
    same("queued at the end", stats.queued, 0);
    same("ready at the end", stats.ready, 0);
    same("blocked at the end", stats.blocked, 0);
    same("reserved_units at the end", stats.reserved_units, 0);
    same("completed", stats.completed, totals_.ok);
    same("cancelled and failed", stats.cancelled + stats.failed,
         totals_.aborted + totals_.aborted_maybe_failed + totals_.other);
    if (stats.cancelled < totals_.aborted ||
        stats.cancelled > totals_.aborted + totals_.aborted_maybe_failed) {
        complaints_.add("cancelled is %" PRIu64 ", should be %" PRIu64, stats.cancelled, totals_.aborted);
    }
    same("completed, cancelled and failed", stats.completed + stats.cancelled + stats.failed, accepted_);
    same("iterations", stats.iterations, totals_.iterations);
    same("total_members", stats.total_members, totals_.members);
    same("max_vector", stats.max_vector, totals_.max_vector);
    same("rejections", stats.rejections, totals_.rejections);
    same("mt_queued at the end", async_stats.mt_queued, 0);
    same("mt_rejections", async_stats.mt_rejections, totals_.mt_rejections);
    same("offloads", async_stats.offloads, totals_.offloads);
    same("offload_timeouts", async_stats.offload_timeouts, totals_.timeouts);
    same("offload_errors", async_stats.offload_errors, totals_.errors);
}

} // namespace xtc::sim
