// SPDX-License-Identifier: ISC
// C ABI of xtc_exec.h.
#include "loop/exec.hpp"
#include "loop/local.hpp"
#include "loop/spawn.hpp"
#include "xtc_exec.h"

using namespace xtc;

namespace {

Exec* as_exec(xtc_exec_t* e) {
    return reinterpret_cast<Exec*>(e);
}

Loop* loop_at(xtc_exec_t* e, int idx) {
    return e == nullptr || idx < 0 || idx >= as_exec(e)->n_loops() ? nullptr : as_exec(e)->loop(idx);
}

int spawn_task(Loop* loop, xtc_task_fn fn, void* user, xtc_task_t** out) {
    return loop == nullptr ? XTC_E_INVAL : xtc_task_spawn(reinterpret_cast<xtc_loop_t*>(loop), fn, user, out);
}

int spawn_fiber(Loop* loop, xtc_coro_fn fn, void* arg, xtc_task_t** out) {
    return loop == nullptr ? XTC_E_INVAL : xtc_async(reinterpret_cast<xtc_loop_t*>(loop), fn, arg, out);
}

} // namespace

int xtc_exec_init(xtc_exec_t** out, int n_loops) {
    if (out == nullptr) return XTC_E_INVAL;
    Exec* e = nullptr;
    if (int rc = Exec::make(n_loops, &e); rc != XTC_OK) return rc;
    *out = reinterpret_cast<xtc_exec_t*>(e);
    return XTC_OK;
}

int xtc_exec_fini(xtc_exec_t* e) {
    if (e == nullptr) return XTC_E_INVAL;
    Exec* exec = as_exec(e);
    if (!exec->inherited()) {
        if (exec->is_running()) return XTC_E_INVAL;
        if (Loop* here = current_loop(); here != nullptr && here->exec() == exec) return XTC_E_INVAL;
    }
    xtc_seam_fini_t* node = exec->fini_nodes();
    delete exec;
    while (node != nullptr) {
        xtc_seam_fini_t* const called = node;
        node = node->next; // it may be gone once it was called
        called->fn(called->self);
    }
    return XTC_OK;
}

int xtc_exec_run(xtc_exec_t* e) {
    return e == nullptr ? XTC_E_INVAL : as_exec(e)->run();
}

int xtc_exec_stop(xtc_exec_t* e) {
    if (e == nullptr || as_exec(e)->inherited()) return XTC_E_INVAL;
    as_exec(e)->stop();
    return XTC_OK;
}

int xtc_exec_n_loops(xtc_exec_t* e) {
    return e == nullptr ? 0 : as_exec(e)->n_loops();
}

xtc_loop_t* xtc_exec_loop(xtc_exec_t* e, int idx) {
    return reinterpret_cast<xtc_loop_t*>(loop_at(e, idx));
}

int xtc_exec_loop_id(void) {
    Loop* here = current_loop();
    return here == nullptr || here->exec() == nullptr ? -1 : here->loop_id() - 1;
}

int xtc_shard_id(void) {
    Loop* here = current_loop();
    if (here == nullptr) return -1;
    return here->exec() == nullptr ? 0 : here->loop_id() - 1;
}

int xtc_shard_count(void) {
    Loop* here = current_loop();
    if (here == nullptr) return 0;
    return here->exec() == nullptr ? 1 : here->exec()->n_loops();
}

int xtc_exec_loop_stats(xtc_exec_t* e, int idx, xtc_loop_stats_t* out) {
    Loop* loop = loop_at(e, idx);
    if (loop == nullptr || out == nullptr) return XTC_E_INVAL;
    *out = {loop->runs(), 0};
    return XTC_OK;
}

int xtc_exec_spawn(xtc_exec_t* e, xtc_task_fn fn, void* user, xtc_task_t** out) {
    return e == nullptr || fn == nullptr ? XTC_E_INVAL
                                         : spawn_task(as_exec(e)->next_in_turn(), fn, user, out);
}

int xtc_exec_spawn_on(xtc_exec_t* e, int idx, xtc_task_fn fn, void* user, xtc_task_t** out) {
    return spawn_task(loop_at(e, idx), fn, user, out);
}

int xtc_exec_async(xtc_exec_t* e, xtc_coro_fn fn, void* arg, xtc_task_t** out) {
    return e == nullptr || fn == nullptr ? XTC_E_INVAL
                                         : spawn_fiber(as_exec(e)->next_in_turn(), fn, arg, out);
}

int xtc_exec_async_on(xtc_exec_t* e, int idx, xtc_coro_fn fn, void* arg, xtc_task_t** out) {
    return spawn_fiber(loop_at(e, idx), fn, arg, out);
}

void xtc_exec_set_service_mode(xtc_exec_t* e, int on) {
    if (e != nullptr) as_exec(e)->set_service_mode(on != 0);
}

int xtc_exec_get_service_mode(xtc_exec_t* e) {
    return e != nullptr && as_exec(e)->service_mode() ? 1 : 0;
}

int xtc_exec_set_cpus(xtc_exec_t* e, const int* cpus, int n) {
    return e == nullptr ? XTC_E_INVAL : as_exec(e)->set_cpus(cpus, n);
}

int xtc_exec_set_spin(xtc_exec_t* e, int64_t max_ns) {
    return e == nullptr ? XTC_E_INVAL : as_exec(e)->set_spin(max_ns);
}
