// SPDX-License-Identifier: ISC
#include "batch/step.hpp"

#include "batch/complete.hpp"

namespace xtc {

void fill_vector(Group& group) {
    XTC_ASSERT(group.vector.size() == 0);
    group.members.to_stepping([&](Member& m) { group.vector.add(m); });
    group.vector.reset_results();
    group.stats.count_vector(group.vector.size());
}

void record_results(Group& group, Report report) {
    size_t again = 0;
    for (size_t i = 0; i < group.vector.size(); ++i) {
        Member& m = group.vector.member(i);
        const Fate fate = fate_of(m, group.vector.results()[i], report);
        if (fate.next == MemberState::ready) {
            group.members.again(m);
            ++again;
        } else {
            settle_fate(group, m, fate);
        }
    }
    group.members.count_again(again);
    group.vector.clear();
    deliver_finished(group);
}

void run_step(Group& group) {
    fill_vector(group);
    const Callbacks& call = group.callbacks;
    int rc;
    {
        CallbackScope in_flight(group);
        rc = call.step(group.vector.items(), group.vector.results(), group.vector.size(), call.user);
    }
    record_results(group, {rc, XTC_BATCH_EXEC_OK});
}

} // namespace xtc
