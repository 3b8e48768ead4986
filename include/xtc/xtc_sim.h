/* SPDX-License-Identifier: ISC */
/*
 * xtc_sim.h - the deterministic simulator: an executor's loops run on one thread under a
 * virtual clock, and a seed decides everything that is otherwise left to time, the kernel and
 * threads. Same seed, same run. Link with libxtc-sim. Manual: xtc_sim(3).
 */
#ifndef XTC_SIM_H
#define XTC_SIM_H

#include <stdint.h>

#include "xtc_exec.h"
#include "xtc_export.h"
#include "xtc_io.h"

XTC_BEGIN_DECLS

/* Independent sequences of random numbers, all split from the one seed, so that drawing more
 * in one place does not shift another. */
enum xtc_sim_stream {
    XTC_SIM_RNG_SCHED = 0,
    XTC_SIM_RNG_STEAL = 1,
    XTC_SIM_RNG_PLACE = 2,
    XTC_SIM_RNG_LOCKVIC = 3,
    XTC_SIM_RNG_IO = 4,
    XTC_SIM_RNG_FAULT = 5,
    XTC_SIM_RNG_APP = 6, /* for the program under test */
    XTC_SIM_RNG_BUGGIFY = 7,
    XTC_SIM_RNG_NSTREAMS = 8
};

/* Runs the executor under the seed until everything is done, or max_steps steps (<= 0: no
 * bound) are used. The executor is new or was run this way only. A plain thread.
 * Errors: XTC_E_INVAL (NULL, running, or already run natively), XTC_E_AGAIN (steps used up, work
 * left), XTC_E_DEADLK (work is left that nothing can wake any more), XTC_E_INTERNAL (an
 * invariant broke), XTC_E_NOMEM. */
XTC_API int xtc_sim_exec_run(struct xtc_exec* exec, uint64_t seed, long max_steps);

/* Checks the runtime's invariants between steps or after a run.
 * Errors: XTC_E_INVAL (NULL, or never simulated), XTC_E_INTERNAL (one is broken). */
XTC_API int xtc_sim_check(struct xtc_exec* exec);

/* A number made of the state of all loops: equal states, equal numbers, in every process. 0
 * when never simulated. */
XTC_API uint64_t xtc_sim_state_hash(struct xtc_exec* exec);

/* A number made of every decision and event so far, in order. 0 when never simulated. */
XTC_API uint64_t xtc_sim_trace_hash(struct xtc_exec* exec);

/* A random number in 0..bound-1 from one of the run's streams. On the simulation's thread.
 * Errors: XTC_E_INVAL (NULL, never simulated, or unknown stream), XTC_E_RANGE (bound is 0). */
XTC_API int xtc_sim_rand(struct xtc_exec* exec, enum xtc_sim_stream stream, uint64_t bound, uint64_t* out);

/* Virtual descriptors: numbers from 1 << 30 that xtc_proc_wait_fd, xtc_accel_wait_fence, batch
 * fences and xtc_net_* take inside the simulation. The caller closes them; those left open go
 * with the executor. On the simulation's thread. */

/* Makes one that shows nothing yet.
 * Errors: XTC_E_INVAL (NULL), XTC_E_NOMEM, XTC_E_RESOURCE (numbers used up). */
XTC_API int xtc_sim_fd_create(xtc_exec_t* exec, int* out);

/* Shows the XTC_IO_* bits after delay_ns of virtual time, until cleared.
 * Errors: XTC_E_INVAL (not a virtual descriptor, no or unknown bits, negative delay), XTC_E_NOMEM. */
XTC_API int xtc_sim_fd_signal(int fd, uint32_t revents, int64_t delay_ns);

/* Takes bits away again; signals still under way are kept.
 * Errors: XTC_E_INVAL (not a virtual descriptor, or unknown bits). */
XTC_API int xtc_sim_fd_clear(int fd, uint32_t revents);

/* Closes it, as close(2) does: a wait in progress is not ended. xtc_net_close ends it.
 * Errors: XTC_E_INVAL (not a virtual descriptor), XTC_E_NOMEM. */
XTC_API int xtc_sim_fd_close(int fd);

/* A connected pair of byte streams for xtc_net_read and xtc_net_write, with seeded delays and
 * short reads.
 * Errors: XTC_E_INVAL (NULL), XTC_E_NOMEM, XTC_E_RESOURCE (numbers used up). */
XTC_API int xtc_sim_socketpair(xtc_exec_t* exec, int out[2]);

XTC_END_DECLS

#endif /* XTC_SIM_H */
