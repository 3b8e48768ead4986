// SPDX-License-Identifier: ISC
//
// One request, from hand-in to completion, and the states it may go through.
#pragma once

#include "base/assert.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace xtc {

enum class MemberState : uint8_t { free, handed_in, waiting, ready, stepping, blocked, finished };
inline constexpr size_t kMemberStates = 7;

// A hand-in leaves the ring as handed_in and, when it gets a slot, goes on in that slot as waiting: its
// record is free again.
constexpr bool legal(MemberState from, MemberState to) {
    using S = MemberState;
    switch (from) {
    case S::free:
        return to == S::handed_in || to == S::waiting; // off the ring | got a slot
    case S::handed_in:
        return to == S::free || to == S::finished; // moved to a slot | cancelled, torn down
    case S::waiting:
        return to == S::ready || to == S::finished; // admitted, units reserved
    case S::ready:
        return to == S::stepping || to == S::finished; // in the vector
    case S::stepping:
        return to == S::ready || to == S::blocked || to == S::finished;
    case S::blocked:
        return to == S::ready || to == S::finished; // resumed
    case S::finished:
        return to == S::free; // the application was told
    }
    return false;
}
static_assert(!legal(MemberState::handed_in, MemberState::stepping), "nothing skips admission");
static_assert(!legal(MemberState::waiting, MemberState::stepping), "nothing runs without its units");
static_assert(!legal(MemberState::stepping, MemberState::free), "nothing leaves without being told");

constexpr bool is_active(MemberState s) {
    return s == MemberState::ready || s == MemberState::stepping || s == MemberState::blocked;
}

// How a request ended, for the statistics; its outcome is the code the application is told.
enum class Ending : uint8_t { completed, cancelled, failed };

class MemberList;

struct alignas(64) Member { // a line of the cache each
    uint64_t handle = 0;
    void* request = nullptr;
    uint64_t charge = 0;
    Member* prev = nullptr;
    Member* next = nullptr;
    MemberList* in = nullptr; // the one list that links it
    int outcome = 0;
    MemberState state = MemberState::free;
    Ending ending = Ending::failed;
    bool is_handin : 1 = false; // lives in a hand-in record, not in a slot
    bool cancelled : 1 = false;
    bool resumed : 1 = false; // while in flight
    bool hinted : 1 = false;
};

class MemberList {
public:
    bool empty() const { return head_ == nullptr; }
    Member* front() const { return head_; }

    void push_back(Member& m) {
        XTC_ASSERT(m.in == nullptr);
        m.in = this;
        m.next = nullptr;
        m.prev = tail_;
        (tail_ != nullptr ? tail_->next : head_) = &m;
        tail_ = &m;
    }
    void remove(Member& m) {
        XTC_ASSERT(m.in == this);
        (m.prev != nullptr ? m.prev->next : head_) = m.next;
        (m.next != nullptr ? m.next->prev : tail_) = m.prev;
        m.prev = m.next = nullptr;
        m.in = nullptr;
    }
    // Each is taken off, oldest first, and goes to take(m), which may not touch the list.
    template <typename Take> void drain(Take take) {
        tail_ = nullptr;
        for (Member* m = std::exchange(head_, nullptr); m != nullptr;) {
            Member* const next = m->next;
            XTC_ASSERT(m->in == this);
            m->prev = m->next = nullptr;
            m->in = nullptr;
            take(*m);
            m = next;
        }
    }

private:
    Member* head_ = nullptr;
    Member* tail_ = nullptr;
};

} // namespace xtc
