// SPDX-License-Identifier: ISC
// C ABI of xtc_proc.h.
#include <cstdint>
#include <new>

#include "loop/fd_claims.hpp"
#include "loop/io.hpp"
#include "loop/loop.hpp"
#include "loop/process.hpp"
#include "loop/remote.hpp"
#include "loop/unwind.hpp"
#include "loop/wait.hpp"
#include "xtc_proc.h"

using namespace xtc;

namespace {

constexpr size_t kMaxStack = size_t{1} << 30;

bool is_valid(const xtc_proc_opts_t& o, const Loop* loop) {
    return o.mailbox_cap <= UINT32_MAX && o.link_to == 0 && o.migratable == 0 &&
           (o.sched_class == nullptr || o.sched_class->loop == loop) && o.mailbox_watermark_pct >= 0 &&
           o.mailbox_watermark_pct <= 100 &&
           (o.mailbox_watermark_pct != 0 || o.mailbox_watermark_fn == nullptr);
}

int spawn(xtc_loop_t* l, xtc_proc_fn fn, void* arg, const xtc_proc_opts_t* opts, size_t stack_size,
          xtc_pid_t* out) {
    auto* loop = reinterpret_cast<Loop*>(l);
    if (loop == nullptr || fn == nullptr || (opts != nullptr && !is_valid(*opts, loop))) return XTC_E_INVAL;
    SpawnSpec spec;
    spec.kind = TaskKind::proc;
    spec.proc = fn;
    spec.arg = arg;
    spec.opts = opts;
    spec.stack_size = stack_size;
    return loop->spawn(spec, nullptr, out);
}

void mask(Task& t, int by) {
    t.mask_depth.store(t.mask_depth.load(std::memory_order_relaxed) + static_cast<uint32_t>(by),
                       std::memory_order_relaxed);
}

// A kill that waited for the mask goes off.
void deliver_kill(Task& t) {
    if (t.kill_due()) unwind_fiber(t, t.kill_reason());
}

} // namespace

int xtc_proc_spawn(xtc_loop_t* loop, xtc_proc_fn fn, void* arg, const xtc_proc_opts_t* opts, xtc_pid_t* out) {
    return spawn(loop, fn, arg, opts, 0, out);
}

int xtc_proc_spawn_ex(xtc_loop_t* loop, xtc_proc_fn fn, void* arg, const xtc_proc_opts2_t* opts,
                      xtc_pid_t* out) {
    if (opts == nullptr) return spawn(loop, fn, arg, nullptr, 0, out);
    if (opts->version != XTC_PROC_OPTS2_VERSION) return XTC_E_VERSION;
    if (opts->size != sizeof *opts) return XTC_E_INVAL;
    if (opts->stack_size != 0 && opts->stack_size < kMinStack) return XTC_E_INVAL;
    if (opts->stack_size > kMaxStack) return XTC_E_RANGE;
    xtc_proc_opts_t o{};
    o.name = opts->name;
    o.mailbox_cap = opts->mailbox_cap;
    o.sched_class = opts->sched_class;
    return spawn(loop, fn, arg, &o, opts->stack_size, out);
}

xtc_pid_t xtc_self(void) {
    Task* t = current_proc();
    return t == nullptr ? XTC_PID_NONE : t->pid();
}

int xtc_proc_set_userdata(void* data) {
    Task* t = current_proc();
    if (t == nullptr) return XTC_E_INVAL;
    t->userdata = data;
    return XTC_OK;
}

void* xtc_proc_userdata(void) {
    Task* t = current_proc();
    return t == nullptr ? nullptr : t->userdata;
}

int xtc_send(xtc_pid_t to, const void* data, size_t size) {
    return send_message(to, data, size);
}

int xtc_recv(void** out, size_t* size, int64_t timeout_ns) {
    Task* t = current_proc();
    if (t == nullptr || out == nullptr || size == nullptr) return XTC_E_INVAL;
    const int64_t deadline = deadline_after(*t->loop, timeout_ns);
    for (;;) {
        if (Message* m = take_message(*t)) {
            *out = m->data;
            *size = m->size;
            return XTC_OK;
        }
        if (timeout_ns == 0 && !t->kill_due()) return XTC_E_AGAIN;
        begin_sleep(*t);
        t->mail_wakes = true;
        const Woke woke = park(*t, deadline, OnKill::unwind, ParkReason::mailbox);
        t->mail_wakes = false;
        if (woke == Woke::timeout && t->mail_head == nullptr) return XTC_E_AGAIN;
    }
}

int xtc_proc_mailbox_stats(xtc_pid_t pid, xtc_mailbox_stats_t* out) {
    ProcRef p(pid);
    if (!p || out == nullptr) return XTC_E_INVAL;
    const auto relaxed = std::memory_order_relaxed;
    *out = {static_cast<uint32_t>(p->mail_word.load(relaxed)),
            0,
            p->mail_peak.load(relaxed),
            p->mail_cap.load(relaxed),
            p->recv_total.load(relaxed),
            p->drop_total.load(relaxed)};
    return XTC_OK;
}

int xtc_proc_wake(xtc_pid_t pid) {
    if (xtc_pid_is_none(pid)) return XTC_E_INVAL;
    ProcRef p(pid);
    if (p) nudge_from_anywhere(*p);
    return XTC_OK;
}

int xtc_proc_wait_fd(int fd, uint32_t interest, int64_t timeout_ns, uint32_t* out_revents) {
    Task* t = current_proc();
    xtc_op_t op{};
    if (t == nullptr || fd < 0 || out_revents == nullptr || !poll_bits(interest, &op.events))
        return XTC_E_INVAL;
    op.kind = XTC_OP_POLL;
    op.fd = fd;
    IoWait how;
    how.mail_ends = true;
    if (interest & (XTC_IO_READABLE | XTC_IO_HUP)) how.claims |= fd_claims::kReads;
    if (interest & XTC_IO_WRITABLE) how.claims |= fd_claims::kWrites;
    const IoEnd end = run_op(*t, op, deadline_after(*t->loop, timeout_ns), how);
    const uint32_t mail = t->mail_head != nullptr ? XTC_WAIT_MAILBOX : 0;
    t->nudged = false;
    switch (end) {
    case IoEnd::done:
        if (op.res < 0) return status_of_errno(static_cast<int>(-op.res));
        *out_revents = interest_bits(static_cast<uint32_t>(op.res)) | mail;
        return XTC_OK;
    case IoEnd::timeout:
        *out_revents = XTC_WAIT_TIMEOUT | mail;
        return XTC_E_AGAIN;
    default:
        *out_revents = mail;
        return XTC_OK;
    }
}

int xtc_proc_sleep(int64_t ns) {
    Task* t = current_proc();
    if (t == nullptr || ns < 0) return XTC_E_INVAL;
    const int64_t deadline = deadline_after(*t->loop, ns);
    do begin_sleep(*t);
    while (park(*t, deadline, OnKill::unwind, ParkReason::timer) != Woke::timeout);
    return XTC_OK;
}

int xtc_exit_self(int reason) {
    Task* t = current_proc();
    if (t == nullptr || t->in_exit || t->unwinding) return XTC_E_INVAL;
    unwind_fiber(*t, reason);
}

int xtc_exit_pid(xtc_pid_t pid, int reason) {
    return ask_to_exit(pid, reason);
}

int xtc_proc_at_exit(void (*fn)(void*), void* arg) {
    Task* t = current_proc();
    if (t == nullptr || fn == nullptr) return XTC_E_INVAL;
    if (t->exit_hooks == nullptr) t->exit_hooks = new (std::nothrow) ExitHooks;
    if (t->exit_hooks == nullptr) return XTC_E_NOMEM;
    ExitHooks& h = *t->exit_hooks;
    if (h.count == XTC_PROC_AT_EXIT_MAX) return XTC_E_RESOURCE;
    h.hooks[h.count++] = {fn, arg};
    return XTC_OK;
}

int xtc_uncancelable(int (*body)(void*), void* ud) {
    if (body == nullptr) return XTC_E_INVAL;
    Task* t = current_proc();
    if (t == nullptr) return body(ud);
    int answer;
    {
        KillMask hold(*t);
        answer = body(ud);
    }
    deliver_kill(*t);
    return answer;
}

int xtc_cancel_poll(int (*body)(void*), void* ud) {
    if (body == nullptr) return XTC_E_INVAL;
    Task* t = current_proc();
    const uint32_t depth = t == nullptr ? 0 : t->mask_depth.load(std::memory_order_relaxed);
    if (depth == 0) return body(ud);
    struct Open { // restored also when a kill unwinds the body: outer scopes count down from it
        Task& t;
        uint32_t depth;
        ~Open() { t.mask_depth.store(depth, std::memory_order_relaxed); }
    } open{*t, depth};
    t->mask_depth.store(0, std::memory_order_relaxed);
    deliver_kill(*t);
    return body(ud);
}

int xtc_cancel_requested(void) {
    Task* t = current_proc();
    return t != nullptr && t->kill_asked() ? 1 : 0;
}

int xtc_mask_enter(void) {
    Task* t = current_proc();
    if (t == nullptr) return XTC_E_INVAL;
    mask(*t, 1);
    return XTC_OK;
}

int xtc_mask_leave(void) {
    Task* t = current_proc();
    if (t == nullptr || t->mask_depth.load(std::memory_order_relaxed) == 0) return XTC_E_INVAL;
    mask(*t, -1);
    deliver_kill(*t);
    return XTC_OK;
}
