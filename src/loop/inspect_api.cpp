// SPDX-License-Identifier: ISC
// C ABI of xtc_inspect.h.
#include "loop/loop.hpp"
#include "loop/process.hpp"
#include "xtc_inspect.h"

using namespace xtc;

namespace {

int run_state(TaskState s) {
    switch (s) {
    case TaskState::running:
        return XTC_PROC_RUNNING;
    case TaskState::parked:
        return XTC_PROC_PARKED;
    case TaskState::finished:
    case TaskState::free:
        return XTC_PROC_DONE;
    default:
        return XTC_PROC_SCHEDULED;
    }
}

int park_reason(ParkReason r) {
    switch (r) {
    case ParkReason::none:
        return XTC_PARK_NONE;
    case ParkReason::fd:
        return XTC_PARK_FD;
    case ParkReason::timer:
        return XTC_PARK_TIMER;
    case ParkReason::mailbox:
        return XTC_PARK_MAILBOX;
    case ParkReason::other:
        break;
    }
    return XTC_PARK_OTHER;
}

} // namespace

int xtc_proc_info(xtc_pid_t pid, xtc_proc_info_t* out) {
    if (out == nullptr) return XTC_E_INVAL;
    ProcRef p(pid);
    if (!p) return XTC_E_NOTFOUND;
    const auto relaxed = std::memory_order_relaxed;
    xtc_proc_info_t info{};
    info.pid = pid;
    info.run_state = run_state(p->state.load(relaxed));
    info.park_reason = park_reason(p->park_reason.load(relaxed));
    info.alive = p->function_ended.load(relaxed) ? 0 : 1;
    info.kill_pending = info.alive && p->kill_asked() ? 1 : 0;
    info.mask_depth = p->mask_depth.load(relaxed);
    info.mask_deferred = info.kill_pending && info.mask_depth > 0 ? 1 : 0;
    info.mbox_len = static_cast<uint32_t>(p->mail_word.load(relaxed));
    info.mbox_peak = p->mail_peak.load(relaxed);
    info.mbox_cap = p->mail_cap.load(relaxed);
    info.mbox_recv_total = p->recv_total.load(relaxed);
    info.mbox_drop_total = p->drop_total.load(relaxed);
    // It may have gone while we looked.
    if (!p->live.load(std::memory_order_acquire) || p->gen.load(std::memory_order_acquire) != p.gen())
        return XTC_E_NOTFOUND;
    *out = info;
    return XTC_OK;
}
