// SPDX-License-Identifier: ISC
// C ABI of run classes: xtc_exec.h and xtc_proc.h.
#include "loop/loop.hpp"
#include "loop/run_class.hpp"
#include "loop/wait.hpp"
#include "xtc_exec.h"
#include "xtc_proc.h"

using namespace xtc;

int xtc_exec_class_create(xtc_loop_t* l, int shares, int64_t latency_ns, xtc_exec_class_t* out) {
    auto* loop = reinterpret_cast<Loop*>(l);
    if (loop == nullptr || out == nullptr || shares < 1 || shares > XTC_EXEC_CLASS_SHARES_MAX ||
        latency_ns < 0)
        return XTC_E_INVAL;
    if (loop->inherited() || !loop->is_callers()) return XTC_E_INVAL;
    return loop->make_class(shares, latency_ns, out);
}

int xtc_exec_class_shares(xtc_exec_class_t c) {
    return c == nullptr ? 0 : c->shares;
}

int64_t xtc_exec_class_latency(xtc_exec_class_t c) {
    return c == nullptr ? 0 : c->latency_ns;
}

uint64_t xtc_exec_class_runs(xtc_exec_class_t c) {
    return c == nullptr ? 0 : c->lane.runs();
}

uint64_t xtc_exec_class_vruntime(xtc_exec_class_t c) {
    return c == nullptr ? 0 : c->lane.vruntime();
}

int xtc_proc_set_class(xtc_exec_class_t c) {
    Task* t = current_proc();
    if (t == nullptr || (c != nullptr && c->loop != t->loop)) return XTC_E_INVAL;
    t->loop->set_class(*t, c);
    return XTC_OK;
}
