// SPDX-License-Identifier: ISC
//
// The calls, from wherever they are made.
#include "batch/model/model.hpp"

#include <algorithm>

namespace model {

Model::Model(const Limits& limits) : limits_(limits), last_(limits.last_handle) {}

// "Mutation is permitted during externally serialized pre-run setup and, once started, only from the actual
// owner loop." "While any callback is in flight, ALL mutators on that group return XTC_E_DEADLK."
int Model::check_mutator(Caller who) const {
    const bool sets_up = who == Caller::nobody && !started_;
    if (who != Caller::owner && !sets_up) return XTC_E_INVAL;
    return in_callback_ ? XTC_E_DEADLK : XTC_OK;
}

int Model::may_read_stats(Caller who) const {
    return who == Caller::foreign ? XTC_E_INVAL : XTC_OK;
}

int Model::submit(Caller who, uint64_t charge, bool has_out, Handle* out) {
    if (const int rc = check_mutator(who); rc != XTC_OK) return rc;
    const auto refuse = [this](int rc) {
        ++totals_.rejections;
        return rc;
    };
    if (!has_out) return refuse(XTC_E_INVAL);
    if (charge < 1 || charge > limits_.units) return refuse(XTC_E_RANGE);
    if (closed_ != 0) return refuse(XTC_E_AGAIN);
    if (!take_in()) return refuse(XTC_E_AGAIN); // B10
    const auto slots = std::count_if(members_.begin(), members_.end(),
                                     [](const auto& entry) { return entry.second.has_slot; });
    if (!held_.empty() || static_cast<size_t>(slots) == limits_.capacity) return refuse(XTC_E_AGAIN);
    if (last_ == UINT64_MAX) return refuse(XTC_E_RANGE);
    Member m;
    m.charge = charge;
    m.place = Place::waiting;
    m.has_slot = true;
    members_[++last_] = m;
    waiting_.push_back(last_);
    *out = last_;
    return XTC_OK;
}

int Model::cancel(Caller who, Handle h) {
    if (const int rc = check_mutator(who); rc != XTC_OK) return rc;
    if (!take_in()) return XTC_E_AGAIN;
    const auto found = members_.find(h);
    if (found == members_.end()) return XTC_E_INVAL;
    record_cancel(found->second);
    return XTC_OK;
}

int Model::resume(Caller who, Handle h) {
    if (const int rc = check_mutator(who); rc != XTC_OK) return rc;
    const auto found = members_.find(h);
    return found != members_.end() && record_resume(found->second) ? XTC_OK : XTC_E_INVAL;
}

int Model::close(Caller who, int mode) {
    if (const int rc = check_mutator(who); rc != XTC_OK) return rc;
    if (mode != XTC_BATCH_DRAIN && mode != XTC_BATCH_CANCEL) return XTC_E_INVAL;
    if (closed_ != XTC_BATCH_CANCEL) closed_ = mode; // escalates, never goes back
    if (closed_ == XTC_BATCH_CANCEL)
        for (auto& [h, m] : members_)
            if (m.place != Place::ring) record_cancel(m); // those on the ring when they are taken off it
    return XTC_OK;
}

int Model::destroy(Caller who) const {
    if (who == Caller::foreign) return XTC_E_INVAL;
    if (in_callback_) return XTC_E_DEADLK;
    return closed_ != 0 && is_gone() ? XTC_OK : XTC_E_AGAIN;
}

int Model::refuse_mt() {
    ++totals_.mt_rejections;
    return XTC_E_AGAIN;
}

int Model::stall(uint64_t charge, Handle* out) {
    if (closed_ != 0) return refuse_mt();
    const auto records = std::count_if(members_.begin(), members_.end(),
                                       [](const auto& entry) { return entry.second.has_record; });
    if (static_cast<size_t>(records) == limits_.mt) return refuse_mt();
    if (last_ == UINT64_MAX) return XTC_E_RANGE;
    Member m;
    m.charge = charge;
    m.has_record = true;
    members_[++last_] = m;
    ring_.push_back({last_, Entry::submit, false});
    *out = last_;
    return XTC_OK;
}

void Model::unstall() {
    for (Entry& entry : ring_) entry.written = true;
}

bool Model::has_stall() const {
    return std::any_of(ring_.begin(), ring_.end(), [](const Entry& entry) { return !entry.written; });
}

int Model::submit_mt(uint64_t charge, bool has_out, Handle* out) {
    if (limits_.mt == 0) return XTC_E_NOSYS;
    if (!has_out) return XTC_E_INVAL;
    if (charge < 1 || charge > limits_.units) return XTC_E_RANGE;
    const int rc = stall(charge, out);
    if (rc == XTC_OK) ring_.back().written = true;
    return rc;
}

int Model::control_mt(Handle h, bool cancels) {
    if (limits_.mt == 0) return XTC_E_NOSYS;
    if (h <= limits_.last_handle || h > last_) return XTC_E_INVAL; // never issued: B17
    if (is_gone()) return XTC_E_INVAL;
    const auto undrained = std::count_if(ring_.begin(), ring_.end(),
                                         [](const Entry& entry) { return entry.what != Entry::submit; });
    if (static_cast<size_t>(undrained) == limits_.mt) return refuse_mt();
    ring_.push_back({h, cancels ? Entry::cancel : Entry::resume, true});
    return XTC_OK;
}

void Model::record_cancel(Member& m) {
    if (m.place != Place::ended) m.cancelled = true; // "already recorded DONE wins over later cancellation"
}

bool Model::record_resume(Member& m) {
    switch (m.place) {
    case Place::blocked:
        if (!m.cancelled) m.place = Place::ready; // one that is cancelled ends where it is
        return true;
    case Place::ready:
        return true;
    case Place::in_flight:
        m.resumed = true; // B16
        return true;
    default:
        return false;
    }
}

// Held hand-ins take free slots in order of arrival; one that is cancelled waits for nothing.
void Model::give_slots() {
    std::erase_if(held_, [this](Handle h) { return members_.at(h).cancelled; });
    while (!held_.empty()) {
        const auto slots = std::count_if(members_.begin(), members_.end(),
                                         [](const auto& entry) { return entry.second.has_slot; });
        if (static_cast<size_t>(slots) == limits_.capacity) return;
        Member& m = members_.at(held_.front());
        m.place = Place::waiting;
        m.has_slot = true;
        m.has_record = false;
        waiting_.push_back(held_.front());
        held_.erase(held_.begin());
    }
}

// In the order in which places were reserved; an entry that is not written yet stops it.
bool Model::take_in() {
    for (; !ring_.empty(); ring_.pop_front()) {
        const Entry entry = ring_.front();
        if (!entry.written) return false;
        const auto found = members_.find(entry.handle);
        if (found == members_.end()) continue; // it ended meanwhile: discarded
        Member& m = found->second;
        if (entry.what == Entry::submit) {
            m.place = Place::held;
            held_.push_back(entry.handle);
            if (closed_ == XTC_BATCH_CANCEL) record_cancel(m);
        } else if (entry.what == Entry::cancel) {
            record_cancel(m);
        } else {
            record_resume(m);
        }
        give_slots();
    }
    return true;
}

Totals Model::totals() const {
    Totals t = totals_;
    for (const auto& [h, m] : members_) {
        if (m.place == Place::held || m.place == Place::waiting) ++t.queued;
        if (m.place == Place::ready || m.place == Place::in_flight) ++t.ready;
        if (m.place == Place::blocked) ++t.blocked;
        if (m.place == Place::ready || m.place == Place::in_flight || m.place == Place::blocked)
            t.reserved_units += m.charge;
        if (m.place == Place::held) ++t.mt_queued;
    }
    for (const Entry& entry : ring_)
        if (entry.what == Entry::submit && entry.written) ++t.mt_queued;
    return t;
}

std::vector<Handle> Model::live() const {
    std::vector<Handle> handles;
    for (const auto& [h, m] : members_) handles.push_back(h);
    return handles;
}

} // namespace model
