// SPDX-License-Identifier: ISC
#include "batch/complete.hpp"

namespace xtc {

void give_slots(Group& group) {
    while (!group.members.held.empty() && group.members.has_slot()) {
        Member& handin = *group.members.held.front();
        group.members.give_slot(handin);
        group.handin->submits.give_later(static_cast<SubmitRecord&>(handin));
    }
}

namespace {

// One notification. It counts as given from the moment it begins, so a callback that never returns to us (it
// ended the process) is not repeated: leaving this scope in any way retires the member.
class Delivery {
public:
    Delivery(Group& group, Member& m) : group_(group), m_(m) { m.in->remove(m); }
    ~Delivery() {
        group_.stats.count_ending(m_.ending);
        const bool is_handin = m_.is_handin;
        group_.members.retire(m_);
        if (is_handin) group_.handin->submits.give_later(static_cast<SubmitRecord&>(m_));
        give_slots(group_);
    }
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;

    void give() {
        CallbackScope in_flight(group_);
        group_.callbacks.complete(m_.handle, m_.request, m_.outcome, group_.callbacks.user);
    }

private:
    Group& group_;
    Member& m_;
};

} // namespace

bool deliver_finished(Group& group) {
    const bool any = !group.members.finished.empty();
    while (Member* m = group.members.finished.front()) Delivery(group, *m).give();
    if (group.handin != nullptr) group.handin->submits.flush();
    return any;
}

} // namespace xtc
