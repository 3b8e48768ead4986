// SPDX-License-Identifier: ISC
#include "check_quiet.hpp"

#include <cinttypes>

#include "xtc_res.h"

namespace xtc::sim {

namespace {

template <typename See> void each_account(xtc_exec_t* exec, See see) {
    for (int loop = 0; loop < xtc_exec_n_loops(exec); loop++) {
        for (int kind = 0; kind < XTC_RES__COUNT; kind++) {
            see(loop, kind,
                xtc_res_used(xtc_loop_res(xtc_exec_loop(exec, loop)), static_cast<xtc_res_kind_t>(kind)));
        }
    }
}

} // namespace

QuietOracle::QuietOracle(xtc_exec_t* exec) : exec_(exec) {
    each_account(exec, [this](int, int, int64_t used) { used_.push_back(used); });
}

void QuietOracle::check(const World& world, int64_t abandoned_tasks, Complaints& complaints) const {
    if (!world.at_rest()) complaints.add("something is still alive at the end");
    if (world.ops_in_flight() != 0)
        complaints.add("%zu operations are in flight at the end", world.ops_in_flight());
    if (world.fds.open_count() != 0)
        complaints.add("%zu virtual descriptors are open at the end", world.fds.open_count());
    size_t next = 0;
    each_account(exec_, [&](int loop, int kind, int64_t used) {
        const int64_t before = used_[next++];
        const int64_t allowed = kind == XTC_RES_TASKS ? abandoned_tasks : 0;
        if (used < before || used > before + allowed) {
            complaints.add("resource %d of loop %d is at %" PRId64 " at the end, was %" PRId64, kind, loop,
                           used, before);
        }
    });
}

} // namespace xtc::sim
