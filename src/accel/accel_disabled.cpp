// SPDX-License-Identifier: ISC
// xtc_accel.h in a build without accelerator support.
#include "xtc_accel.h"
#include "xtc_blocking.h"

int xtc_accel_probe(xtc_accel_dev_t*, int, int*) {
    return XTC_E_NOSYS;
}
int xtc_accel_wait_fence(int, int64_t) {
    return XTC_E_NOSYS;
}
int xtc_accel_run_blocking(int (*fn)(void*), void* arg, int* out_result) {
    return xtc_blocking_run(fn, arg, out_result);
}
