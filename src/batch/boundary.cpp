// SPDX-License-Identifier: ISC
#include "batch/boundary.hpp"

#include "batch/complete.hpp"

namespace xtc {

void record_cancel(Group& group, Member& m) {
    if (m.cancelled || m.state == MemberState::finished) return;
    m.cancelled = true;
    if (m.state != MemberState::stepping) group.members.doom(m);
}

bool record_resume(Group& group, Member& m) {
    switch (m.state) {
    case MemberState::blocked:
        // One whose cancel is recorded, by a close too, ends where it is.
        if (!m.cancelled && !group.closing.is_cancelled()) group.members.to_ready(m);
        return true;
    case MemberState::stepping:
        m.resumed = true;
        return true;
    case MemberState::ready:
        return true;
    default:
        return false;
    }
}

namespace {

void take_submit(Group& group, SubmitRecord& record) {
    record.is_handin = true;
    record.cancelled = record.resumed = record.hinted = false;
    group.members.hold(record);
    if (group.closing.is_cancelled()) record_cancel(group, record);
    give_slots(group);
}

void take_control(Group& group, ControlRecord& record) {
    const uint64_t handle = record.handle;
    const Control what = record.what;
    group.handin->controls.give_later(record);
    Member* m = group.members.find(handle);
    if (m == nullptr) return; // it ended meanwhile: nothing is kept of it
    if (what == Control::cancel)
        record_cancel(group, *m);
    else
        record_resume(group, *m);
}

void cancel_list(Group& group, MemberList& list) {
    while (Member* m = list.front()) record_cancel(group, *m);
}

void cancel_all(Group& group) {
    for (size_t i = 0; i < group.vector.size(); ++i) record_cancel(group, group.vector.member(i));
    for (MemberList* list :
         {&group.members.ready, &group.members.blocked, &group.members.waiting, &group.members.held})
        cancel_list(group, *list);
}

// What is reserved while we take is left for the next time, so that a flood does not hold us here.
bool take_entries(Group& group, HandinRing& ring) {
    for (const uint64_t end = ring.end(); ring.has_before(end);) {
        HandinRing::Entry entry;
        if (!ring.take(&entry)) return false;
        if (entry.submit != nullptr)
            take_submit(group, *entry.submit);
        else
            take_control(group, *entry.control);
    }
    return true;
}

} // namespace

bool take_in(Group& group) {
    if (group.closing.take_cancel_due()) cancel_all(group);
    if (group.handin == nullptr) return true;
    const bool took_all = take_entries(group, group.handin->ring);
    group.handin->controls.flush(); // submits: at the end of every delivery
    return took_all;
}

bool carry_out_cancels(Group& group) {
    while (Member* m = group.members.doomed.front())
        group.members.finish(*m, XTC_E_ABORTED, Ending::cancelled);
    return deliver_finished(group);
}

void pass_boundary(Group& group) {
    take_in(group);
    // A cancel that came over the ring while somebody was told still keeps its request out of the next
    // vector.
    if (carry_out_cancels(group)) take_in(group);
    group.members.admit();
    XTC_DASSERT(group.members.check());
}

} // namespace xtc
