// SPDX-License-Identifier: ISC
#include "accel/devices.hpp"
#include "batch/placement.hpp"
#include "loop/exec.hpp"

#include <xtc_batch.h>

#include <cstring>
#include <new>

namespace {

int node_of(const xtc_accel_dev_t& dev) {
    char name[sizeof(dev.name) + 1] = {};
    std::memcpy(name, dev.name, sizeof(dev.name));
    try {
        return xtc::device_node("", name);
    } catch (const std::bad_alloc&) {
        return -1; // as good as unknown
    }
}

} // namespace

int xtc_batch_loop_for_device(xtc_exec_t* exec, const xtc_accel_dev_t* dev, int* out_loop_idx) {
    if (exec == nullptr || dev == nullptr || out_loop_idx == nullptr) return XTC_E_INVAL;
    const xtc::Exec& e = *reinterpret_cast<xtc::Exec*>(exec);
    if (e.inherited()) return XTC_E_INVAL;
    *out_loop_idx = xtc::nearest_loop(node_of(*dev), xtc_numa_nnodes(), e.n_loops(),
                                      [&e](int i) { return e.node_of(i); });
    return XTC_OK;
}
