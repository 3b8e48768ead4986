// SPDX-License-Identifier: ISC
//
// The driver: boundaries, vectors, operations, ends.
#include "batch/model/model.hpp"

#include <algorithm>

namespace model {

namespace {

std::string in_words(const HandleSet& handles) {
    std::string text = "{";
    for (const Handle h : handles) text += (text.size() > 1 ? ", " : "") + std::to_string(h);
    return text + "}";
}

bool is_error(int code) {
    return code >= XTC_E_IO && code <= XTC_E_INVAL;
}

int valid(int code) {
    return is_error(code) ? code : static_cast<int>(XTC_E_INTERNAL);
}

} // namespace

bool Model::is_parked() const {
    return !in_callback_ && (phase_ == Phase::awaiting || parked_) && phase_ != Phase::gone;
}

std::string Model::expects() const {
    std::string text;
    if (!hints_due_.empty()) text += "hints for " + in_words(hints_due_) + "; ";
    HandleSet ends = due_;
    ends.insert(to_end_.begin(), to_end_.end());
    if (!ends.empty()) text += "complete for " + in_words(ends) + "; ";
    if (phase_ == Phase::to_vector) {
        HandleSet ready;
        for (const auto& [h, m] : members_)
            if (m.place == Place::ready && !m.cancelled) ready.insert(h);
        text += "a vector of " + in_words(ready);
    }
    if (phase_ == Phase::to_collect) text += "collect with status " + std::to_string(exec_status_);
    if (phase_ == Phase::awaiting && !resting_) text += "collect of " + in_words(in_vector());
    return text.empty() ? "nothing" : text;
}

HandleSet Model::cancelled_outside() const {
    HandleSet found;
    for (const auto& [h, m] : members_)
        if (m.cancelled && m.place != Place::ring && m.place != Place::in_flight && m.place != Place::ended)
            found.insert(h);
    return found;
}

HandleSet Model::unhinted(bool only_cancelled) const {
    HandleSet found;
    if (!limits_.has_hint) return found;
    for (const Handle h : vector_) {
        const Member& m = members_.at(h);
        if (!m.hinted && (m.cancelled || !only_cancelled)) found.insert(h);
    }
    return found;
}

void Model::end(Handle h, int outcome, Ending ending) {
    Member& m = members_.at(h);
    m.place = Place::ended;
    m.outcome = outcome;
    m.ending = ending;
    std::erase(waiting_, h);
    std::erase(held_, h);
    due_.insert(h);
}

// --- a turn

void Model::turn_begins() {
    started_ = true;
    resting_ = false;
    resolved_before_turn_ = resolved_;
    if (in_callback_) return; // it goes on
    switch (phase_) {
    case Phase::rest:
        if (kill_asked_ && parked_) return begin_teardown();
        return begin_boundary();
    case Phase::awaiting:
        return unwinding_ ? abandon() : look();
    case Phase::teardown:
        return begin_teardown();
    default:
        resting_ = true; // gone
    }
}

// After a callback has ended: what does the driver do next?
void Model::advance() {
    if (is_owing()) return;
    switch (phase_) {
    case Phase::boundary:
        return end_boundary();
    case Phase::awaiting:
        if (is_aborting() || resolved_) return; // collect comes
        return look();
    case Phase::delivering:
        if (exiting_) return begin_teardown();
        phase_ = Phase::rest; // "the driver yields after every iteration": B13
        parked_ = false;
        resting_ = true;
        return;
    case Phase::teardown:
        return begin_teardown();
    default:
        return;
    }
}

void Model::begin_boundary() {
    parked_ = false;
    phase_ = Phase::boundary;
    take_in();
    to_end_ = cancelled_outside();
    told_ = !to_end_.empty();
    advance();
}

void Model::end_boundary() {
    // "A cancellation recorded before the next vector excludes the request": also one that came while
    // somebody was told.
    if (told_) take_in();
    size_t active = 0;
    uint64_t units = 0;
    for (const auto& [h, m] : members_)
        if (m.place == Place::ready || m.place == Place::blocked) {
            ++active;
            units += m.charge;
        }
    for (const Handle h : std::vector<Handle>(waiting_)) {
        Member& m = members_.at(h);
        if (m.cancelled) continue;
        if (active == limits_.max_active || m.charge > limits_.units - units)
            break; // strict order of arrival
        m.place = Place::ready;
        std::erase(waiting_, h);
        ++active;
        units += m.charge;
    }
    if (kill_asked_) return begin_teardown();
    for (const auto& [h, m] : members_)
        if (m.place == Place::ready && !m.cancelled) {
            phase_ = Phase::to_vector;
            return;
        }
    if (closed_ != 0 && members_.empty() && ring_.empty()) {
        phase_ = Phase::gone;
        resting_ = true;
        return;
    }
    if ((!ring_.empty() && ring_.front().written) || !cancelled_outside().empty()) return begin_boundary();
    phase_ = Phase::rest;
    parked_ = resting_ = true;
}

// --- a vector

std::string Model::vector_begins(const std::vector<Handle>& handles) {
    if (phase_ != Phase::to_vector || is_owing() || in_callback_) return "expected " + expects();
    HandleSet ready;
    for (const auto& [h, m] : members_)
        if (m.place == Place::ready && !m.cancelled) ready.insert(h);
    if (HandleSet(handles.begin(), handles.end()) != ready || handles.size() != ready.size())
        return "expected " + expects();
    vector_ = handles;
    for (const Handle h : vector_) {
        Member& m = members_.at(h);
        m.place = Place::in_flight;
        m.resumed = m.hinted = false;
    }
    ++totals_.iterations;
    totals_.total_members += vector_.size();
    totals_.max_vector = std::max<uint64_t>(totals_.max_vector, vector_.size());
    phase_ = Phase::in_vector;
    in_callback_ = true;
    return {};
}

void Model::step_returns(int rc, const std::map<Handle, Result>& results) {
    in_callback_ = false;
    record_results(rc, XTC_BATCH_EXEC_OK, results);
}

void Model::record_results(int rc, int status, const std::map<Handle, Result>& results) {
    const auto fail = [this](Handle h, int code) { end(h, code, Ending::failed); };
    for (const Handle h : std::vector<Handle>(vector_)) {
        Member& m = members_.at(h);
        const auto said = results.find(h);
        const Result result = said != results.end() ? said->second : Result{};
        const bool timed_out = status == XTC_BATCH_EXEC_TIMEOUT;
        if (m.cancelled || status == XTC_BATCH_EXEC_ABORTED) {
            end(h, XTC_E_ABORTED, Ending::cancelled);
        } else if (status < 0) {
            fail(h, status);
        } else if (rc != 0) {
            fail(h, valid(rc));
        } else if (result.state == XTC_BATCH_DONE) {
            end(h, XTC_OK, Ending::completed);
        } else if (result.state == XTC_BATCH_ERROR) {
            fail(h, valid(result.error));
        } else if (timed_out && result.state >= XTC_BATCH_UNSET && result.state <= XTC_BATCH_BLOCKED) {
            fail(h, XTC_E_AGAIN);
        } else if (result.state == XTC_BATCH_CONTINUE) {
            m.place = Place::ready;
        } else if (result.state == XTC_BATCH_BLOCKED) {
            m.place = m.resumed ? Place::ready : Place::blocked;
        } else {
            fail(h, XTC_E_INTERNAL);
        }
    }
    vector_.clear();
    phase_ = Phase::delivering;
    advance();
}

// --- an operation

void Model::submit_returns(int rc, const Token& token) {
    in_callback_ = false;
    if (rc != XTC_OK) return record_results(rc, XTC_BATCH_EXEC_OK, {});
    token_ = token;
    phase_ = Phase::to_collect;
    exec_status_ = token.refused;
    resolved_ = resolved_before_turn_ = fired_for_sure_ = false;
    if (token.kind == XTC_BATCH_EXEC_SYNC) return; // nothing is awaited
    const bool known = token.kind == XTC_BATCH_EXEC_FENCE || token.kind == XTC_BATCH_EXEC_FUTURE ||
                       token.kind == XTC_BATCH_EXEC_BLOCKING;
    if (known) ++totals_.offloads; // B18
    if (token.refused != XTC_OK) return;
    begin_wait();
}

void Model::begin_wait() {
    phase_ = Phase::awaiting;
    resolved_ = token_.resolved;
    token_status_ = token_.status;
    deadline_ = limits_.timeout_ns > 0 && is_leavable() ? now_ + limits_.timeout_ns : 0;
    look();
}

void Model::token_resolves(int status) {
    resolved_ = true;
    token_status_ = status;
}

// The driver looks at what has come while it waits. What it owes is told before an abort ends the wait; a
// timeout or the token itself may end it before.
void Model::look() {
    // A fence that has just become readable is seen one turn of the loop later.
    fired_for_sure_ = resolved_ && (token_.kind != XTC_BATCH_EXEC_FENCE || resolved_before_turn_);
    if (fired_for_sure_) return;
    if (kill_asked_ && !exiting_ && !is_overdue()) {
        exiting_ = true; // "such exit closes the group"
        closed_ = std::max<int>(closed_, XTC_BATCH_DRAIN);
        hints_due_ = unhinted(false);
        if (is_leavable() || !hints_due_.empty()) return;
    }
    take_in();
    hints_due_ = unhinted(true);
    to_end_ = cancelled_outside();
    if (is_owing() || is_aborting() || is_overdue() || resolved_) return;
    resting_ = true;
}

std::string Model::collect_begins(const std::vector<Handle>& handles, int status) {
    bool legal = false;
    if (in_callback_) return "expected " + expects();
    if (phase_ == Phase::to_collect) legal = status == exec_status_;
    if (phase_ == Phase::awaiting && fired_for_sure_) legal = status == fired_status();
    if (phase_ == Phase::awaiting && !fired_for_sure_)
        legal = (status == XTC_BATCH_EXEC_ABORTED && is_aborting() &&
                 (torn_ ? hints_due_.empty() : !is_owing())) ||
                (status == XTC_BATCH_EXEC_TIMEOUT && is_overdue()) || (resolved_ && status == fired_status());
    if (!legal || HandleSet(handles.begin(), handles.end()) != in_vector() ||
        handles.size() != vector_.size())
        return "expected " + expects();
    hints_due_.clear();
    to_end_.clear(); // at the next boundary then
    if (phase_ == Phase::awaiting || phase_ == Phase::to_collect) {
        if (status == XTC_BATCH_EXEC_TIMEOUT) ++totals_.offload_timeouts;
        if (status < 0) ++totals_.offload_errors;
    }
    exec_status_ = status;
    phase_ = Phase::collecting;
    take_in(); // a cancel that has come until now still counts: B13
    in_callback_ = true;
    return {};
}

void Model::collect_returns(int rc, const std::map<Handle, Result>& results) {
    in_callback_ = false;
    record_results(rc, exec_status_, results);
}

std::string Model::hint_begins(Handle h) {
    if (in_callback_ || hints_due_.erase(h) == 0) return "expected " + expects();
    members_.at(h).hinted = true;
    in_callback_ = true;
    return {};
}

void Model::hint_returns() {
    in_callback_ = false;
    advance();
}

// --- ends

std::string Model::complete_begins(Handle h, int outcome) {
    if (in_callback_) return "expected " + expects();
    if (to_end_.count(h) != 0)
        for (const Handle ended : HandleSet(std::move(to_end_))) {
            to_end_.erase(ended);
            end(ended, XTC_E_ABORTED, Ending::cancelled);
        }
    if (due_.count(h) == 0) return "expected " + expects();
    if (members_.at(h).outcome != outcome)
        return "expected outcome " + std::to_string(members_.at(h).outcome);
    telling_ = h;
    in_callback_ = true;
    return {};
}

// "Terminal counters advance after completion delivery returns (or after an interrupted delivery is
// retired)."
void Model::retire(Handle h) {
    const Member& m = members_.at(h);
    ++(m.ending == Ending::completed   ? totals_.completed
       : m.ending == Ending::cancelled ? totals_.cancelled
                                       : totals_.failed);
    due_.erase(h);
    members_.erase(h);
    give_slots();
}

void Model::complete_returns() {
    in_callback_ = false;
    retire(telling_);
    telling_ = 0;
    advance();
}

// The driver left from inside a callback.
void Model::callback_exits() {
    in_callback_ = false;
    if (telling_ != 0) retire(telling_);
    telling_ = 0;
    begin_teardown();
}

void Model::begin_teardown() {
    parked_ = false;
    exiting_ = true;
    closed_ = std::max<int>(closed_, XTC_BATCH_DRAIN);
    to_end_.clear();
    hints_due_.clear();
    if (phase_ == Phase::awaiting) {
        unwinding_ = true;
        return abandon();
    }
    phase_ = Phase::teardown;
    const bool took_all = take_in();
    vector_.clear();
    for (auto& [h, m] : members_) {
        if (m.place == Place::ended || m.place == Place::ring) continue;
        if (m.cancelled)
            end(h, XTC_E_ABORTED, Ending::cancelled);
        else
            end(h, XTC_E_INTERNAL, Ending::failed);
    }
    if (is_owing()) return;
    if (took_all) phase_ = Phase::gone;
    resting_ = true;
}

// "A forced teardown fires it for every in-flight member before collect", which is told ABORTED. "A BLOCKING
// wait always lasts until the closure returns."
void Model::abandon() {
    resting_ = !is_leavable() && !resolved_;
    if (resting_) return;
    unwinding_ = false;
    torn_ = true;
    hints_due_ = unhinted(false);
    token_ = {};
    fired_for_sure_ = resolved_ = false;
    deadline_ = 0;
}

} // namespace model
