// SPDX-License-Identifier: ISC
// What the simulator and libnrt may call: node XTC_PRIVATE.
#include <new>

#include "base/time.hpp"
#include "loop/exec.hpp"
#include "loop/loop.hpp"
#include "loop/pool.hpp"
#include "loop/wait.hpp"
#include "loop/wake_cell.hpp"
#include "seam/loop.h"

using namespace xtc;

namespace {

Loop& as_loop(xtc_loop_t* l) {
    return *reinterpret_cast<Loop*>(l);
}

Exec& as_exec(xtc_exec_t* e) {
    return *reinterpret_cast<Exec*>(e);
}

int no_sleep(void*, int64_t) {
    return XTC_E_DEADLK;
} // it would stop the only thread

} // namespace

int xtc_seam_loop_attach(xtc_loop_t* loop, const xtc_seam_parts_t* parts) {
    if (loop == nullptr || parts == nullptr || parts->size != sizeof *parts) return XTC_E_INVAL;
    return as_loop(loop).attach(*parts);
}

const xtc_seam_offload_t* xtc_seam_loop_lent_offload(xtc_loop_t* loop, void** self) {
    const xtc_seam_offload_t* offload = as_loop(loop).offload(self);
    return offload != pool_offload() ? offload : nullptr;
}

int xtc_seam_loop_turn(xtc_loop_t* loop, uint32_t max_runs) {
    Loop& l = as_loop(loop);
    l.begin_run();
    const uint32_t handled = l.turn(max_runs, XTC_UNTIL_POLL);
    l.pause_run();
    l.sleep_between_turns();
    return static_cast<int>(handled);
}

int xtc_seam_loop_runnable(xtc_loop_t* loop) {
    return as_loop(loop).has_backlog() ? 1 : 0;
}
int64_t xtc_seam_loop_deadline(xtc_loop_t* loop) {
    return as_loop(loop).next_deadline();
}
uint64_t xtc_seam_loop_live(xtc_loop_t* loop) {
    return as_loop(loop).live();
}
uint64_t xtc_seam_loop_hash(xtc_loop_t* loop) {
    return as_loop(loop).hash();
}
int xtc_seam_loop_check(xtc_loop_t* loop) {
    return as_loop(loop).check();
}
int xtc_seam_exec_take_stop(xtc_exec_t* exec) {
    return as_exec(exec).take_stop() ? 1 : 0;
}
int xtc_seam_exec_begin_run(xtc_exec_t* exec) {
    return as_exec(exec).begin_lent_run() ? XTC_OK : XTC_E_INVAL;
}
void xtc_seam_exec_end_run(xtc_exec_t* exec) {
    as_exec(exec).end_lent_run();
}
int xtc_seam_exec_hold(xtc_exec_t* exec) {
    return as_exec(exec).hold() ? XTC_OK : XTC_E_AGAIN;
}
void xtc_seam_exec_let_go(xtc_exec_t* exec) {
    as_exec(exec).let_go();
}
xtc_exec_t* xtc_seam_exec_here(void) {
    Loop* here = current_loop();
    return here != nullptr ? reinterpret_cast<xtc_exec_t*>(here->exec()) : nullptr;
}
void xtc_seam_exec_at_fini(xtc_exec_t* exec, xtc_seam_fini_t* node) {
    as_exec(exec).at_fini(*node);
}
void xtc_seam_exec_forget_fini(xtc_exec_t* exec, xtc_seam_fini_t* node) {
    as_exec(exec).forget_fini(*node);
}

void xtc_seam_fiber_on_drop(xtc_seam_drop_t* node) {
    static_assert(sizeof(DropGuard) <= sizeof node->room && alignof(DropGuard) <= alignof(void*));
    Task* const self = current_fiber();
    node->is_set = self != nullptr ? 1 : 0;
    if (self != nullptr) new (node->room) DropGuard(*self, node->fn, node->self);
}
void xtc_seam_fiber_no_drop(xtc_seam_drop_t* node) {
    if (node->is_set != 0) std::launder(reinterpret_cast<DropGuard*>(node->room))->~DropGuard();
}
int xtc_seam_may_wait(void) {
    if (current_loop() != nullptr) return current_fiber() != nullptr ? XTC_OK : XTC_E_INVAL;
    return is_thread_block_forbidden() ? XTC_E_DEADLK : XTC_OK;
}
void xtc_seam_forbid_thread_block(int on) {
    forbid_thread_block(on != 0);
}

void xtc_seam_set_thread_clock(int64_t (*now)(void*), void* self) {
    static thread_local Clock lent;
    lent = Clock{now, now, no_sleep, self};
    set_thread_clock(now != nullptr ? &lent : nullptr);
}
