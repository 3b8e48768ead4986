// SPDX-License-Identifier: ISC
#include "batch/members.hpp"

#include "base/assert.hpp"
#include "batch/sizes.hpp"

#include <xtc.h>

#include <new>

namespace xtc {

int Members::check_sizes(size_t capacity, size_t handins) {
    constexpr SlotSizes<size_t> each = {sizeof(Member), sizeof(HandleTable::Entry)};
    size_t ignored;
    return slot_bytes(capacity, handins, each, &ignored);
}

int Members::init(size_t capacity, size_t max_active, uint64_t resource_capacity, size_t handins) {
    if (const int rc = table_.init(capacity + handins); rc != XTC_OK) return rc;
    slots_.reset(new (std::nothrow) Member[capacity]);
    if (slots_ == nullptr) return XTC_E_NOMEM;
    capacity_ = capacity;
    max_active_ = max_active;
    resource_capacity_ = resource_capacity;
    return XTC_OK;
}

void Members::take_or_give_units(const Member& m, bool takes) {
    if (takes) {
        ++active_;
        units_ += m.charge;
        XTC_ASSERT(active_ <= max_active_ && units_ <= resource_capacity_);
    } else {
        --active_;
        units_ -= m.charge;
    }
}

Member& Members::take_slot() {
    XTC_ASSERT(has_slot());
    ++slots_taken_;
    if (free_slots_ == nullptr) return slots_[slots_used_++];
    Member& m = *free_slots_;
    free_slots_ = m.next;
    m = {};
    return m;
}

void Members::add(uint64_t handle, void* request, uint64_t charge) {
    Member& m = take_slot();
    m.handle = handle;
    m.request = request;
    m.charge = charge;
    table_.insert(handle, &m);
    set_state(m, MemberState::waiting);
    waiting.push_back(m);
}

void Members::hold(Member& handin) {
    table_.insert(handin.handle, &handin);
    set_state(handin, MemberState::handed_in);
    held.push_back(handin);
}

Member& Members::give_slot(Member& handin) {
    Member& m = take_slot();
    m.handle = handin.handle;
    m.request = handin.request;
    m.charge = handin.charge;
    table_.replace(m.handle, &m);
    relink(handin, nullptr);
    set_state(handin, MemberState::free);
    set_state(m, MemberState::waiting);
    waiting.push_back(m);
    return m;
}

namespace {

struct ChargeOf {
    const Member* m;
    uint64_t operator*() const { return m->charge; }
    ChargeOf& operator++() {
        m = m->next;
        return *this;
    }
    bool operator!=(const ChargeOf& other) const { return m != other.m; }
};

} // namespace

void Members::admit() {
    const Room room{max_active_ - active_, resource_capacity_ - units_};
    size_t n = admit_from_head(ChargeOf{waiting.front()}, ChargeOf{nullptr}, room);
    for (; n > 0; --n) to_ready(*waiting.front());
}

void Members::to_blocked(Member& m) {
    set_state(m, MemberState::blocked);
    relink(m, &blocked);
}

void Members::doom(Member& m) {
    relink(m, &doomed);
}

void Members::finish(Member& m, int outcome, Ending ending) {
    set_state(m, MemberState::finished);
    m.outcome = outcome;
    m.ending = ending;
    relink(m, &finished);
}

void Members::retire(Member& m) {
    relink(m, nullptr);
    table_.erase(m.handle);
    set_state(m, MemberState::free);
    if (m.is_handin) return;
    --slots_taken_;
    m.next = free_slots_;
    free_slots_ = &m;
}

bool Members::check() const {
    size_t in_slots = 0, handins = 0, active = 0;
    uint64_t units = 0;
    for (size_t i = 0; i < slots_used_; ++i) {
        const Member& m = slots_[i];
        if (m.state == MemberState::free) continue;
        ++in_slots;
        if (table_.find(m.handle) != &m) return false;
        if (is_active(m.state)) {
            ++active;
            units += m.charge;
        }
    }
    size_t counted = 0;
    for (size_t s = 1; s < kMemberStates; ++s) counted += counts_[s];
    handins = table_.size() - in_slots;
    return in_slots == slots_taken_ && counted == in_slots + handins && active == active_ &&
           units == units_ && active <= max_active_ && units <= resource_capacity_ && in_slots <= capacity_ &&
           (held.empty() || !has_slot());
}

} // namespace xtc
