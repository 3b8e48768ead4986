// SPDX-License-Identifier: ISC
// Making tasks: here, or from another thread for a loop that will start them at its next turn.
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "loop/await.hpp"
#include "loop/exec.hpp"
#include "loop/loop.hpp"
#include "loop/plain_park.hpp"
#include "loop/process.hpp"
#include "loop/remote.hpp"
#include "loop/spawn.hpp"
#include "xtc.h"

namespace xtc {

namespace {
constexpr uint32_t kDefaultMailbox = 4096;
}

void Loop::prepare(Task& t, const SpawnSpec& spec) {
    t.kind = spec.kind;
    t.is_process.store(spec.kind == TaskKind::proc, std::memory_order_relaxed);
    t.arg = spec.arg;
    t.timer.task = &t;
    t.timer.fire = on_task_timer;
    t.result = 0;
    t.keep_result = spec.keep_result;
    t.stack_size = spec.stack_size != 0 ? spec.stack_size : default_stack_size();
    t.nudged = t.latched = t.timed_out = t.mail_wakes = t.unwinding = t.in_exit = false;
    switch (spec.kind) {
    case TaskKind::plain:
        t.fn.plain = spec.plain;
        return;
    case TaskKind::coro:
        t.fn.coro = spec.coro;
        return;
    case TaskKind::proc:
        t.fn.proc = spec.proc;
        break;
    }
    static const xtc_proc_opts_t kNone{};
    const xtc_proc_opts_t& o = spec.opts != nullptr ? *spec.opts : kNone;
    t.run_class = o.sched_class;
    const auto relaxed = std::memory_order_relaxed;
    const uint32_t cap = o.mailbox_cap != 0 ? static_cast<uint32_t>(o.mailbox_cap) : kDefaultMailbox;
    t.mail_cap.store(cap, relaxed);
    const uint64_t mark = (uint64_t{cap} * static_cast<uint32_t>(o.mailbox_watermark_pct) + 99) / 100;
    t.mail_mark.store(o.mailbox_watermark_fn != nullptr ? static_cast<uint32_t>(mark) : 0, relaxed);
    t.mark_fn.store(o.mailbox_watermark_fn, relaxed);
    t.mark_user.store(o.mailbox_watermark_user, relaxed);
    t.mail_peak.store(0, relaxed);
    t.recv_total.store(0, relaxed);
    t.drop_total.store(0, relaxed);
    t.function_ended.store(false, relaxed);
    t.mask_depth.store(0, relaxed);
    t.userdata = nullptr;
    t.name[0] = '\0';
    if (o.name != nullptr) xtc_strlcpy(t.name, o.name, sizeof t.name);
}

int Loop::give_stack(Task& t) {
    if (int rc = stacks_.take(t.stack_size, &t, &t.stack); rc != XTC_OK) return rc;
    context_make(t.ctx, t.stack, fiber_main);
    return XTC_OK;
}

int Loop::spawn(const SpawnSpec& spec, Handle* handle, xtc_pid_t* pid) {
    if (inherited()) return XTC_E_INVAL;
    if (int rc = xtc_res_acquire(&res_, XTC_RES_TASKS, 1); rc != XTC_OK) return rc;
    const bool here = current_loop() == this;
    Task* t = nullptr;
    const int rc = here ? make_here(spec, &t) : make_elsewhere(spec, &t);
    if (rc != XTC_OK) {
        xtc_res_release(&res_, XTC_RES_TASKS, 1);
        return rc;
    }
    if (handle != nullptr) *handle = t->handle();
    if (pid != nullptr) *pid = t->pid();
    if (here)
        start_task(*t);
    else
        remote_spawn(*t); // from here on it may run, end, and be somebody else
    return XTC_OK;
}

int Loop::make_here(const SpawnSpec& spec, Task** out) {
    if (int rc = tasks_.take(out); rc != XTC_OK) return rc;
    Task& t = **out;
    prepare(t, spec);
    int rc = reserve_timer() ? XTC_OK : XTC_E_NOMEM;
    if (rc == XTC_OK && t.is_fiber()) rc = give_stack(t);
    if (rc != XTC_OK) tasks_.give(t);
    return rc;
}

int Loop::make_elsewhere(const SpawnSpec& spec, Task** out) {
    if (int rc = xtc_res_acquire(&res_, XTC_RES_INBOX_MSGS, 1); rc != XTC_OK) return rc;
    if (int rc = tasks_.take_remote(out); rc != XTC_OK) {
        xtc_res_release(&res_, XTC_RES_INBOX_MSGS, 1);
        return rc;
    }
    prepare(**out, spec);
    (*out)->set_state(TaskState::starting);
    pending_spawns_.fetch_add(1, std::memory_order_relaxed);
    if (exec_ != nullptr) exec_->busy_up();
    return XTC_OK;
}

void Loop::start_task(Task& t) {
    live_up();
    if (t.run_class != nullptr) join_class(*t.run_class);
    note(XTC_NOTE_SPAWN, t.slot, t.gen.load(std::memory_order_relaxed));
    make_ready(t);
}

int spawn_with_handle(Loop& loop, const SpawnSpec& spec, xtc_task_t** out) {
    Handle handle;
    const int rc = loop.spawn(spec, &handle, nullptr);
    if (rc == XTC_OK && out != nullptr) *out = handle.as<xtc_task_t>();
    return rc;
}

void Loop::spawn_arrived(Task& t, bool drop) {
    xtc_res_release(&res_, XTC_RES_INBOX_MSGS, 1);
    pending_spawns_.fetch_sub(1, std::memory_order_relaxed);
    int rc = drop ? XTC_E_ABORTED : XTC_OK;
    if (rc == XTC_OK && !reserve_timer()) rc = XTC_E_NOMEM;
    if (rc == XTC_OK && t.is_fiber()) rc = give_stack(t);
    if (rc == XTC_OK) {
        start_task(t);
    } else {
        // Its maker was told that it exists: it ends before it begins.
        t.run_class = nullptr;
        t.result = rc;
        const bool kept = t.keep_result && !deliver_result(t);
        t.set_state(kept ? TaskState::finished : TaskState::free);
        if (!kept) release(t);
    }
    if (exec_ != nullptr) exec_->busy_down();
}

void Loop::release(Task& t) {
    if (t.run_class != nullptr) leave_class(*std::exchange(t.run_class, nullptr));
    if (t.kind == TaskKind::proc) {
        drop_mail(t);
        delete t.exit_hooks;
        t.exit_hooks = nullptr;
        t.is_process.store(false, std::memory_order_relaxed);
    }
    t.drop_hooks = nullptr;
    t.drained_fd = -1;
    tasks_.give(t);
    xtc_res_release(&res_, XTC_RES_TASKS, 1);
}

void Loop::live_up() {
    if (live_++ == 0 && exec_ != nullptr) exec_->busy_up();
}

void Loop::live_down() {
    XTC_ASSERT(live_ > 0);
    if (--live_ == 0 && exec_ != nullptr) exec_->busy_down();
}

} // namespace xtc
