// SPDX-License-Identifier: ISC
//
// xtc_batch.h in a build without scheduling policy.
#include <xtc_batch.h>

int xtc_batch_create(xtc_loop_t*, const xtc_batch_opts_t*, xtc_batch_t**) {
    return XTC_E_NOSYS;
}
int xtc_batch_create_async(xtc_loop_t*, const xtc_batch_async_opts_t*, xtc_batch_t**) {
    return XTC_E_NOSYS;
}
int xtc_batch_submit(xtc_batch_t*, void*, uint64_t, uint64_t*) {
    return XTC_E_NOSYS;
}
int xtc_batch_submit_mt(xtc_batch_t*, void*, uint64_t, uint64_t*) {
    return XTC_E_NOSYS;
}
int xtc_batch_cancel(xtc_batch_t*, uint64_t) {
    return XTC_E_NOSYS;
}
int xtc_batch_cancel_mt(xtc_batch_t*, uint64_t) {
    return XTC_E_NOSYS;
}
int xtc_batch_resume(xtc_batch_t*, uint64_t) {
    return XTC_E_NOSYS;
}
int xtc_batch_resume_mt(xtc_batch_t*, uint64_t) {
    return XTC_E_NOSYS;
}
int xtc_batch_close(xtc_batch_t*, enum xtc_batch_close_mode) {
    return XTC_E_NOSYS;
}
int xtc_batch_drain_for(xtc_batch_t*, int64_t) {
    return XTC_E_NOSYS;
}
int xtc_batch_destroy(xtc_batch_t*) {
    return XTC_E_NOSYS;
}
int xtc_batch_get_stats(xtc_batch_t*, xtc_batch_stats_t*) {
    return XTC_E_NOSYS;
}
int xtc_batch_get_async_stats(xtc_batch_t*, xtc_batch_async_stats_t*) {
    return XTC_E_NOSYS;
}

int xtc_batch_loop_for_device(xtc_exec_t*, const xtc_accel_dev_t*, int* out_loop_idx) {
    if (out_loop_idx != nullptr) *out_loop_idx = 0;
    return XTC_E_NOSYS;
}

int xtc_batch_router_create(xtc_batch_t**, int, xtc_batch_router_t**) {
    return XTC_E_NOSYS;
}
void xtc_batch_router_destroy(xtc_batch_router_t*) {}
xtc_batch_t* xtc_batch_route(xtc_batch_router_t*, uint64_t) {
    return nullptr;
}
