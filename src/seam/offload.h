/* SPDX-License-Identifier: ISC */
/*
 * Offload: run a closure off the loop. Production is the thread pool of xtc_blocking(3); the simulator runs
 * the closure on its one thread at a seeded virtual time.
 */
#ifndef XTC_SEAM_OFFLOAD_H
#define XTC_SEAM_OFFLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xtc_offload_job {
    int (*fn)(void *arg);
    void *arg;
    int result;                                /* what fn returned */
    void (*done)(struct xtc_offload_job *job); /* any thread; the job may be gone when it returns */
    void *owner;                               /* for done */
    struct xtc_offload_job *next, *prev;       /* the implementation's */
    uint64_t priv;
} xtc_offload_job_t;

typedef struct xtc_seam_offload {
    size_t size;
    /* XTC_OK: fn will run and then done is called, once. Otherwise an XTC_E_* and neither happens. */
    int (*submit)(void *self, xtc_offload_job_t *job);
    /* 1: job had not begun; it is taken back and done will not be called. 0: it has begun. */
    int (*revoke)(void *self, xtc_offload_job_t *job);
} xtc_seam_offload_t;

#ifdef __cplusplus
}
#endif

#endif /* XTC_SEAM_OFFLOAD_H */
