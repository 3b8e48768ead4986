// SPDX-License-Identifier: ISC
// C ABI of xtc_async.h.
#include "loop/await.hpp"
#include "loop/loop.hpp"
#include "loop/spawn.hpp"
#include "loop/unwind.hpp"
#include "xtc_async.h"
#include "xtc_proc.h"

using namespace xtc;

int xtc_async(xtc_loop_t* l, xtc_coro_fn fn, void* arg, xtc_task_t** out) {
    if (l == nullptr || fn == nullptr) return XTC_E_INVAL;
    SpawnSpec spec;
    spec.kind = TaskKind::coro;
    spec.coro = fn;
    spec.arg = arg;
    spec.keep_result = out != nullptr;
    return spawn_with_handle(*reinterpret_cast<Loop*>(l), spec, out);
}

int xtc_await(xtc_task_t* task, intptr_t* result) {
    return await_task(task, result);
}

void xtc_yield(void) {
    Task* t = current_fiber();
    if (t == nullptr) return;
    yield_fiber(*t);
}

void xtc_yield_set_budget(xtc_loop_t* l, int64_t ns) {
    if (l != nullptr)
        reinterpret_cast<Loop*>(l)->yield_budget.store(ns > 0 ? ns : 0, std::memory_order_relaxed);
}

int xtc_yield_check(void) {
    Task* t = current_fiber();
    if (t == nullptr) return 0;
    Loop& loop = *t->loop;
    const int64_t budget = loop.yield_interval();
    if (budget == 0 || loop.now() - loop.quantum_start() <= budget) return 0;
    loop.yield_due.fetch_add(1, std::memory_order_relaxed);
    return 1;
}

int xtc_yield_if_due(void) {
    const int due = xtc_yield_check();
    if (due) xtc_yield();
    return due;
}

uint64_t xtc_yield_due_count(const xtc_loop_t* l) {
    return l == nullptr ? 0 : reinterpret_cast<const Loop*>(l)->yield_due.load(std::memory_order_relaxed);
}

size_t xtc_stack_size(void) {
    return default_stack_size();
}
int xtc_set_stack_size(size_t bytes) {
    return set_default_stack_size(bytes);
}
