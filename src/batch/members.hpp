// SPDX-License-Identifier: ISC
//
// All requests of a group: the slots, the lists that link them, and what they take of the two limits. The
// owner loop's thread only. One function changes a state; it checks the move and keeps the sums.
#pragma once

#include "batch/admission.hpp"
#include "batch/handle_table.hpp"
#include "batch/member.hpp"

#include <memory>

namespace xtc {

class Members {
public:
    // XTC_OK, or XTC_E_RANGE if so many can not be counted in bytes.
    static int check_sizes(size_t capacity, size_t handins);
    // `handins`: how many hand-in records may hold a request beside the slots. XTC_OK or XTC_E_NOMEM.
    int init(size_t capacity, size_t max_active, uint64_t resource_capacity, size_t handins);

    Member* find(uint64_t handle) const { return table_.find(handle); }
    bool has_slot() const { return slots_taken_ < capacity_; }
    bool empty() const { return table_.size() == 0; }
    size_t count(MemberState s) const { return counts_[static_cast<size_t>(s)]; } // of any but free
    size_t active() const { return active_; }
    uint64_t units() const { return units_; }

    // Lists, each in order of arrival. A member in flight is in the vector and in no list; one whose cancel
    // is recorded but not carried out keeps its state and moves to doomed.
    MemberList held, waiting, ready, blocked, doomed, finished;

    void add(uint64_t handle, void* request, uint64_t charge); // takes a slot: waiting
    void hold(Member& handin);                                 // handle, request, charge are set: handed_in
    Member& give_slot(Member& handin);                         // its record is free when this returns

    void admit(); // from waiting to ready, while the policy says so
    void to_ready(Member& m) {
        set_state(m, MemberState::ready);
        relink(m, &ready);
    }
    // All that are ready, oldest first; each also goes to take(m).
    template <typename Take> void to_stepping(Take take) {
        size_t n = 0;
        ready.drain([&](Member& m) {
            change(m, MemberState::stepping);
            m.resumed = false;
            take(m);
            ++n;
        });
        move_count(MemberState::ready, MemberState::stepping, n);
    }
    // The way back, for many: each by itself, and then how many there were.
    void again(Member& m) {
        change(m, MemberState::ready);
        ready.push_back(m);
    }
    void count_again(size_t n) { move_count(MemberState::stepping, MemberState::ready, n); }
    void to_blocked(Member& m);
    void doom(Member& m);
    void finish(Member& m, int outcome, Ending ending);
    // The application was told. A slot is free again; a hand-in record is the caller's to give back.
    void retire(Member& m);

    bool check() const; // every sum is what the states say

private:
    static void change(Member& m, MemberState to) {
        XTC_ASSERT(legal(m.state, to));
        m.state = to;
    }
    void move_count(MemberState from, MemberState to, size_t n) {
        counts_[static_cast<size_t>(from)] -= n;
        counts_[static_cast<size_t>(to)] += n;
    }
    void set_state(Member& m, MemberState to) {
        const bool was_active = is_active(m.state);
        move_count(m.state, to, 1);
        change(m, to);
        if (was_active != is_active(to)) take_or_give_units(m, !was_active);
    }
    void take_or_give_units(const Member& m, bool takes);
    void relink(Member& m, MemberList* to) {
        if (m.in != nullptr) m.in->remove(m);
        if (to != nullptr) to->push_back(m);
    }
    Member& take_slot();

    size_t capacity_ = 0;
    size_t max_active_ = 0;
    uint64_t resource_capacity_ = 0;
    std::unique_ptr<Member[]> slots_;
    size_t slots_used_ = 0; // so many from the front were ever taken
    size_t slots_taken_ = 0;
    Member* free_slots_ = nullptr;
    size_t active_ = 0;
    uint64_t units_ = 0;
    size_t counts_[kMemberStates] = {};
    HandleTable table_;
};

} // namespace xtc
