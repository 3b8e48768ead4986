/* SPDX-License-Identifier: ISC */
/*
 * The simulator's handle on a loop and an executor: put other implementations behind the seams, then take
 * single turns. Exported at node XTC_PRIVATE: no promise to anyone outside this source tree.
 */
#ifndef XTC_SEAM_LOOP_H
#define XTC_SEAM_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "seam/chooser.h"
#include "seam/driver.h"
#include "seam/offload.h"
#include "xtc_exec.h"
#include "xtc_loop.h"

XTC_BEGIN_DECLS

typedef struct xtc_seam_parts {
    size_t size;
    const xtc_seam_driver_t *driver;   /* NULL: production's */
    void *driver_self;
    const xtc_seam_chooser_t *chooser; /* NULL: none */
    void *chooser_self;
    const xtc_seam_offload_t *offload; /* NULL: production's */
    void *offload_self;
} xtc_seam_parts_t;

/* Before the loop's first run; XTC_E_AGAIN after it. The loop never destroys what it was lent. */
XTC_API int xtc_seam_loop_attach(xtc_loop_t *loop, const xtc_seam_parts_t *parts);

/* The Offload that the loop was lent and, in *self, what it is called with; NULL: it has production's. */
XTC_API const xtc_seam_offload_t *xtc_seam_loop_lent_offload(xtc_loop_t *loop, void **self);

/* One turn that never sleeps: completions, inbox, due timers, then at most max_runs tasks. Counts as the
 * first run. Returns how many tasks, timers, completions and inbox nodes were handled. */
XTC_API int xtc_seam_loop_turn(xtc_loop_t *loop, uint32_t max_runs);

/* Nonzero: the last turn left ready tasks or inbox nodes. What is handed over between turns shows in the
 * driver's wake(): a loop sleeps between its turns. */
XTC_API int xtc_seam_loop_runnable(xtc_loop_t *loop);

/* The earliest deadline of a timer or a timed wait, absolute; XTC_UNTIL_NEVER if there is none. */
XTC_API int64_t xtc_seam_loop_deadline(xtc_loop_t *loop);

/* Tasks, fibers and timers that have not ended; hand-overs under way count. 0 on every loop: at rest. */
XTC_API uint64_t xtc_seam_loop_live(xtc_loop_t *loop);

/* A digest of the loop's tasks: order, state, epoch. No addresses. */
XTC_API uint64_t xtc_seam_loop_hash(xtc_loop_t *loop);

/* Cheap invariants of queues and counters; XTC_OK or XTC_E_INTERNAL. */
XTC_API int xtc_seam_loop_check(xtc_loop_t *loop);

/* Nonzero once xtc_exec_stop was called; taking it clears it. */
XTC_API int xtc_seam_exec_take_stop(xtc_exec_t *exec);

/* The simulator runs the executor between the two. XTC_E_INVAL: it runs already, or is held. */
XTC_API int xtc_seam_exec_begin_run(xtc_exec_t *exec);
XTC_API void xtc_seam_exec_end_run(xtc_exec_t *exec);

/* XTC_OK: nobody runs the executor, and until it is let go xtc_exec_run waits and xtc_exec_fini is refused.
 * XTC_E_AGAIN: it runs, or somebody else holds it. Any thread. */
XTC_API int xtc_seam_exec_hold(xtc_exec_t *exec);
XTC_API void xtc_seam_exec_let_go(xtc_exec_t *exec);

/* The executor whose loop takes its turn on this thread; NULL: none does. */
XTC_API xtc_exec_t *xtc_seam_exec_here(void);

/* fn(self) is called when xtc_exec_fini has ended the loops: what they were lent may go. The node is the
 * caller's; it is used no more once it was called, or forgotten. */
typedef struct xtc_seam_fini {
    void (*fn)(void *self);
    void *self;
    struct xtc_seam_fini *next; /* the executor's */
} xtc_seam_fini_t;
XTC_API void xtc_seam_exec_at_fini(xtc_exec_t *exec, xtc_seam_fini_t *node);
XTC_API void xtc_seam_exec_forget_fini(xtc_exec_t *exec, xtc_seam_fini_t *node);

/* fn(self) is called if the loop ends under the calling fiber, whose stack is then dropped, not unwound.
 * Scopes: the last one is taken back first. Nothing where no fiber runs. */
typedef struct xtc_seam_drop {
    void (*fn)(void *self);
    void *self;
    void *room[5]; /* the loop's */
    int is_set;
} xtc_seam_drop_t;
XTC_API void xtc_seam_fiber_on_drop(xtc_seam_drop_t *node);
XTC_API void xtc_seam_fiber_no_drop(xtc_seam_drop_t *node);

/* What a wait would answer here if nothing but time ended it: XTC_OK, XTC_E_INVAL on a loop's thread outside
 * a fiber, XTC_E_DEADLK where the thread may not block. */
XTC_API int xtc_seam_may_wait(void);

/* On this thread, a call that would block the thread answers XTC_E_DEADLK instead (S3). */
XTC_API void xtc_seam_forbid_thread_block(int on);

/* What this thread's xtc_clock_mono() and xtc_clock_real() answer off a loop; NULL: the real clocks. */
XTC_API void xtc_seam_set_thread_clock(int64_t (*now)(void *), void *self);

XTC_END_DECLS

#endif /* XTC_SEAM_LOOP_H */
