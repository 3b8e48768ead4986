/* SPDX-License-Identifier: ISC */
/*
 * xtc_accel.h - accelerators: which ones this machine has, waiting in a fiber for one of their
 * fences, and running a vendor's blocking call. Manual: xtc_accel(3).
 */
#ifndef XTC_ACCEL_H
#define XTC_ACCEL_H

#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef enum xtc_accel_kind {
    XTC_ACCEL_KIND_UNKNOWN = 0,
    XTC_ACCEL_KIND_GPU = 1, /* /dev/dri/renderD* */
    XTC_ACCEL_KIND_NPU = 2  /* /dev/accel/accel* */
} xtc_accel_kind_t;

typedef struct xtc_accel_dev {
    xtc_accel_kind_t kind;
    char name[32];   /* "renderD128", "accel0" */
    char node[64];   /* the device file */
    char driver[32]; /* the kernel driver's name, "" when unknown */
} xtc_accel_dev_t;

/* Writes up to max devices to out and the number found, which may be larger, to out_n. No
 * device is XTC_OK and 0. out may be NULL when max is 0. Any thread; reads /dev and /sys.
 * Errors: XTC_E_INVAL (NULL out_n, negative max, or NULL out with max over 0), XTC_E_NOMEM,
 * XTC_E_NOSYS (a build without accelerator support). */
XTC_API int xtc_accel_probe(xtc_accel_dev_t* out, int max, int* out_n);

/* Parks the fiber until the fence fd (sync_file, dma-fence, eventfd, any pollable descriptor) is
 * readable. Neither reads nor closes it: it stays the caller's and must stay open. Messages to
 * the process do not end the wait; a kill does. Fibers only.
 * Errors: XTC_E_NOSYS (a build without accelerator support; before all others), XTC_E_AGAIN
 * (timeout), XTC_E_INVAL (not on a fiber, or a descriptor that is closed, of a kind that cannot
 * be waited on, has an error, or hung up without being readable), XTC_E_ABORTED (closed by
 * xtc_net_close meanwhile), XTC_E_RESOURCE (the kernel's limit). */
XTC_API int xtc_accel_wait_fence(int fd, int64_t timeout_ns);

/* xtc_blocking_run for a vendor's blocking call; works in every build.
 * Errors: XTC_E_INVAL (NULL fn, or on a loop's thread outside a fiber), XTC_E_NOMEM and
 * XTC_E_RESOURCE (no thread could be made; fn has not run), XTC_E_ABORTED (the pool is shutting
 * down; fn has not run). */
XTC_API int xtc_accel_run_blocking(int (*fn)(void*), void* arg, int* out_result);

XTC_END_DECLS

#endif /* XTC_ACCEL_H */
