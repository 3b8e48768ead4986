/* SPDX-License-Identifier: ISC */
/*
 * xtc_batch.h - bounded continuous batching: a group takes requests, and its driver process hands
 * every ready one to a callback of yours in one vector, iteration after iteration, until each
 * is done. First come, first served, under a number of slots and a budget of resource units.
 * Every accepted request completes exactly once. Manual: xtc_batch(3).
 *
 * "The owner loop" is the loop the group was created on. Calls that change a group are made
 * there, from a fiber or task or, before its first run, from the thread that sets it up; the
 * _mt calls are for everybody else. The owner-loop calls check in this order: NULL group or
 * foreign loop XTC_E_INVAL, callback in flight XTC_E_DEADLK, arguments XTC_E_INVAL and
 * XTC_E_RANGE, state XTC_E_AGAIN. A build without scheduling policy answers XTC_E_NOSYS to
 * everything, before any other check.
 */
#ifndef XTC_BATCH_H
#define XTC_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_accel.h"
#include "xtc_exec.h"
#include "xtc_export.h"
#include "xtc_future.h"
#include "xtc_loop.h"

XTC_BEGIN_DECLS

#define XTC_BATCH_VERSION 1u

/* What a step or collect says about a member. */
enum xtc_batch_state {
    XTC_BATCH_UNSET = 0,    /* nothing said: the member ends with XTC_E_INTERNAL */
    XTC_BATCH_CONTINUE = 1, /* in the next iteration again */
    XTC_BATCH_DONE = 2,     /* ends with XTC_OK */
    XTC_BATCH_BLOCKED = 3,  /* keeps its slot and units, left out until resumed */
    XTC_BATCH_ERROR = 4     /* ends with the error field, an XTC_E_* */
};

enum xtc_batch_close_mode {
    XTC_BATCH_DRAIN = 1, /* take no more, finish what is there */
    XTC_BATCH_CANCEL = 2 /* take no more, cancel what is there */
};

/* How an asynchronous submit says when its operation is over. */
enum xtc_batch_exec_kind {
    XTC_BATCH_EXEC_SYNC = 1,    /* it is over already */
    XTC_BATCH_EXEC_FENCE = 2,   /* fence_fd becomes readable; stays the application's */
    XTC_BATCH_EXEC_FUTURE = 3,  /* future completes; the group consumes it */
    XTC_BATCH_EXEC_BLOCKING = 4 /* run(arg) returns, on a thread of the blocking pool */
};

/* What collect is told about the operation; a negative XTC_E_* when it could not be awaited. */
enum {
    XTC_BATCH_EXEC_OK = 0,      /* over */
    XTC_BATCH_EXEC_TIMEOUT = 1, /* exec_timeout_ns was over first; it may still run */
    XTC_BATCH_EXEC_ABORTED = 2  /* the group was cancelled or its driver killed; it may still run */
};

typedef struct xtc_batch xtc_batch_t;
typedef struct xtc_batch_router xtc_batch_router_t;

typedef struct xtc_batch_item {
    uint64_t handle;
    void* request;
} xtc_batch_item_t;

typedef struct xtc_batch_result {
    int state; /* enum xtc_batch_state */
    int error; /* read with XTC_BATCH_ERROR only */
} xtc_batch_result_t;

/* Arrives zeroed, with fence_fd -1. */
typedef struct xtc_batch_exec {
    int kind; /* enum xtc_batch_exec_kind */
    int fence_fd;
    xtc_future_t* future;
    int (*run)(void*);
    void* arg;
} xtc_batch_exec_t;

/* Callbacks run on the driver process and may yield; kills wait until their answers are recorded.
 * While one is in flight the owner-loop calls that change the group answer XTC_E_DEADLK. A
 * nonzero return of the first three fails the vector with it, or with XTC_E_INTERNAL when it is
 * no XTC_E_*. */

/* One iteration over count members; sets every result. */
typedef int (*xtc_batch_step_fn)(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count,
                                 void* user);
/* Launches one operation over count members and says in out_exec how it ends. */
typedef int (*xtc_batch_submit_fn)(const xtc_batch_item_t* items, size_t count, void* user,
                                   xtc_batch_exec_t* out_exec);
/* Called once for each operation launched, with the same vector; sets every result. */
typedef int (*xtc_batch_collect_fn)(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count,
                                    int exec_status, void* user);
/* The end of a request, exactly once; request may be freed from here on. */
typedef void (*xtc_batch_complete_fn)(uint64_t handle, void* request, int outcome, void* user);
/* A member whose operation is under way was cancelled: a chance to abort the kernel. */
typedef void (*xtc_batch_cancel_hint_fn)(uint64_t handle, void* request, void* user);

/* Options of a synchronous group. Copied; user is borrowed until destroy. */
typedef struct xtc_batch_opts {
    size_t size;      /* sizeof(xtc_batch_opts_t) */
    uint32_t version; /* XTC_BATCH_VERSION */
    size_t capacity;  /* requests waiting and active, at least max_active */
    size_t max_active;
    uint64_t resource_capacity;   /* units shared by the active */
    xtc_exec_class_t sched_class; /* NULL, or a class of this loop that no other group has */
    xtc_batch_step_fn step;
    xtc_batch_complete_fn complete;
    void* user;
} xtc_batch_opts_t;

/* Options of an asynchronous group. */
typedef struct xtc_batch_async_opts {
    size_t size;      /* sizeof(xtc_batch_async_opts_t) */
    uint32_t version; /* XTC_BATCH_VERSION */
    size_t capacity;
    size_t max_active;
    uint64_t resource_capacity;
    int64_t exec_timeout_ns; /* how long the group waits for one operation; 0 for ever */
    xtc_exec_class_t sched_class;
    xtc_batch_submit_fn submit;
    xtc_batch_collect_fn collect;
    xtc_batch_complete_fn complete;
    xtc_batch_cancel_hint_fn cancel_hint; /* may be NULL */
    void* user;
    size_t mt_queue_cap; /* submits, and controls, under way from other threads; 0: no _mt calls */
} xtc_batch_async_opts_t;

/* Totals stop at UINT64_MAX instead of wrapping. */
typedef struct xtc_batch_stats {
    size_t size;             /* set before the call: sizeof(xtc_batch_stats_t) */
    uint32_t version;        /* set before the call: XTC_BATCH_VERSION */
    uint64_t queued;         /* waiting to become active, hand-ins held for a slot included */
    uint64_t ready;          /* active, in flight included */
    uint64_t blocked;        /* active, waiting for resume */
    uint64_t reserved_units; /* taken by the active */
    uint64_t iterations;     /* vectors handed to step or submit */
    uint64_t completed;      /* ended with XTC_OK */
    uint64_t cancelled;      /* ended by a cancel or an aborted operation */
    uint64_t failed;         /* ended with another error */
    uint64_t rejections;     /* refused xtc_batch_submit calls */
    uint64_t max_vector;     /* the longest vector */
    uint64_t total_members;  /* the sum of all vectors' lengths */
} xtc_batch_stats_t;

typedef struct xtc_batch_async_stats {
    size_t size;               /* set before the call: sizeof(xtc_batch_async_stats_t) */
    uint32_t version;          /* set before the call: XTC_BATCH_VERSION */
    uint64_t offloads;         /* fences, futures and closures awaited */
    uint64_t offload_timeouts; /* of them, over time */
    uint64_t offload_errors;   /* negative exec_status */
    uint64_t mt_queued;        /* accepted by submit_mt, not admitted yet */
    uint64_t mt_rejections;    /* _mt calls answered with XTC_E_AGAIN */
} xtc_batch_async_stats_t;

/* Makes a group and its driver on the loop, before the loop's first run or step. The group is the
 * caller's until xtc_batch_destroy, and must be destroyed before the loop is finalised.
 * Errors: XTC_E_INVAL (NULL, wrong size, a missing callback, a zero or capacity < max_active, a
 * class of another loop or of another group, a negative timeout), XTC_E_VERSION (unknown
 * version), XTC_E_AGAIN (the loop has run), XTC_E_RANGE (sizes overflow, or mt_queue_cap over
 * 2^31), XTC_E_NOMEM, XTC_E_RESOURCE (the loop's accountant refused), XTC_E_NOSYS (disabled
 * build). */
XTC_API int xtc_batch_create(xtc_loop_t* loop, const xtc_batch_opts_t* opts, xtc_batch_t** out);
XTC_API int xtc_batch_create_async(xtc_loop_t* loop, const xtc_batch_async_opts_t* opts, xtc_batch_t** out);

/* Accepts a request that will take charge units while active. request is borrowed until complete has
 * returned, and may be NULL. The owner loop.
 * Errors: XTC_E_INVAL (NULL, or foreign loop), XTC_E_DEADLK (callback in flight), XTC_E_RANGE
 * (charge not in 1..resource_capacity, or handles used up), XTC_E_AGAIN (full, closed, or an
 * earlier hand-in is held or being written), XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_submit(xtc_batch_t* group, void* request, uint64_t charge, uint64_t* out_handle);

/* The same from any thread, also from inside a callback; the driver takes it up at its next iteration.
 * Never waits, allocates or locks. XTC_OK is followed by exactly one complete.
 * Errors: XTC_E_INVAL (NULL), XTC_E_RANGE (as above), XTC_E_AGAIN (ring or records used up, or
 * closed), XTC_E_NOSYS (mt_queue_cap is 0, or disabled build). */
XTC_API int xtc_batch_submit_mt(xtc_batch_t* group, void* request, uint64_t charge, uint64_t* out_handle);

/* Asks for the request to end with XTC_E_ABORTED at the next boundary, or when its operation is
 * collected; repeating it is harmless. The owner loop.
 * Errors: XTC_E_INVAL (NULL, foreign loop, or no such request any more), XTC_E_DEADLK (callback
 * in flight), XTC_E_AGAIN (an earlier hand-in is being written: retry), XTC_E_NOSYS (disabled
 * build). */
XTC_API int xtc_batch_cancel(xtc_batch_t* group, uint64_t handle);

/* The same from any thread. A request that completed meanwhile is XTC_OK. Never lost: applied after the
 * submit it refers to.
 * Errors: XTC_E_INVAL (NULL, a handle never issued, or the driver is through), XTC_E_AGAIN (control
 * records used up), XTC_E_NOSYS (mt_queue_cap is 0, or disabled build). */
XTC_API int xtc_batch_cancel_mt(xtc_batch_t* group, uint64_t handle);

/* Makes a blocked request ready; a ready one stays so. The owner loop.
 * Errors: XTC_E_INVAL (NULL, foreign loop, a request that waits or has ended), XTC_E_DEADLK
 * (callback in flight), XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_resume(xtc_batch_t* group, uint64_t handle);

/* The same from any thread; a resume of a waiting or ended request is dropped.
 * Errors: XTC_E_INVAL (NULL, a handle never issued, or the driver is through), XTC_E_AGAIN (control
 * records used up), XTC_E_NOSYS (mt_queue_cap is 0, or disabled build). */
XTC_API int xtc_batch_resume_mt(xtc_batch_t* group, uint64_t handle);

/* Takes no more requests; the driver ends when all have completed. Repeating it is harmless, DRAIN
 * may become CANCEL, not the other way round. The owner loop.
 * Errors: XTC_E_INVAL (NULL, foreign loop, or unknown mode), XTC_E_DEADLK (callback in flight),
 * XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_close(xtc_batch_t* group, enum xtc_batch_close_mode mode);

/* Closes with DRAIN, waits at most timeout_ns, then closes with CANCEL; returns when the driver
 * has left the process table. Fibers of the owner loop, not the driver.
 * Errors: XTC_E_INVAL (NULL, foreign loop, or not on a fiber), XTC_E_DEADLK (callback in flight, or
 * on the driver, in an exit hook), XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_drain_for(xtc_batch_t* group, int64_t timeout_ns);

/* Frees a closed group whose driver has left the process table. No producer may still make _mt
 * calls. The owner loop, or any thread while nothing runs.
 * Errors: XTC_E_INVAL (NULL, or foreign loop), XTC_E_DEADLK (callback in flight), XTC_E_AGAIN
 * (not closed, or the driver is still there), XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_destroy(xtc_batch_t* group);

/* Snapshots; the second is all zero for a synchronous group. The owner loop, also from inside a
 * callback, or any thread while nothing runs.
 * Errors: XTC_E_INVAL (NULL, foreign loop, or wrong size), XTC_E_VERSION (unknown version),
 * XTC_E_NOSYS (disabled build). */
XTC_API int xtc_batch_get_stats(xtc_batch_t* group, xtc_batch_stats_t* out);
XTC_API int xtc_batch_get_async_stats(xtc_batch_t* group, xtc_batch_async_stats_t* out);

/* The index of a loop near the device's memory, 0 when that is not known: not an error. Reads
 * /sys. Any thread.
 * Errors: XTC_E_INVAL (NULL), XTC_E_NOSYS (disabled build; 0 is written all the same). */
XTC_API int xtc_batch_loop_for_device(xtc_exec_t* exec, const xtc_accel_dev_t* dev, int* out_loop_idx);

/* A router over n groups, which it borrows; the array is copied. Any thread.
 * Errors: XTC_E_INVAL (NULL, n < 1, or a NULL group), XTC_E_NOMEM, XTC_E_NOSYS (disabled
 * build). */
XTC_API int xtc_batch_router_create(xtc_batch_t** groups, int n, xtc_batch_router_t** out);
/* Frees the router, not the groups; NULL does nothing. */
XTC_API void xtc_batch_router_destroy(xtc_batch_router_t* router);
/* groups[key % n]; NULL for a NULL router. Any thread. */
XTC_API xtc_batch_t* xtc_batch_route(xtc_batch_router_t* router, uint64_t key);

XTC_END_DECLS

#endif /* XTC_BATCH_H */
