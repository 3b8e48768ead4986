// SPDX-License-Identifier: ISC
#include "batch/member.hpp"

#include "base/assert.hpp"

namespace xtc {

void MemberList::push_back(Member& m) {
    XTC_ASSERT(m.in == nullptr);
    m.in = this;
    m.next = nullptr;
    m.prev = tail_;
    (tail_ != nullptr ? tail_->next : head_) = &m;
    tail_ = &m;
}

void MemberList::remove(Member& m) {
    XTC_ASSERT(m.in == this);
    (m.prev != nullptr ? m.prev->next : head_) = m.next;
    (m.next != nullptr ? m.next->prev : tail_) = m.prev;
    m.prev = m.next = nullptr;
    m.in = nullptr;
}

Member* MemberList::pop_front() {
    Member* m = head_;
    if (m != nullptr) remove(*m);
    return m;
}

} // namespace xtc
