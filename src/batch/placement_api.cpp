// SPDX-License-Identifier: ISC
#include "batch/placement.hpp"
#include "loop/exec.hpp"

#include <xtc_batch.h>

int xtc_batch_loop_for_device(xtc_exec_t* exec, const xtc_accel_dev_t* dev, int* out_loop_idx) {
    if (exec == nullptr || dev == nullptr || out_loop_idx == nullptr) return XTC_E_INVAL;
    const xtc::Exec& e = *reinterpret_cast<xtc::Exec*>(exec);
    if (e.inherited()) return XTC_E_INVAL;
    const int node = xtc::numa_node_of_device("/sys", *dev);
    int near = 0;
    for (int i = 0; i < e.n_loops() && node >= 0 && near == 0; ++i)
        if (e.node_of(i) == node) near = i;
    *out_loop_idx = near;
    return XTC_OK;
}
