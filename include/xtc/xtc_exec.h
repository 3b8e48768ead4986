/* SPDX-License-Identifier: ISC */
/*
 * xtc_exec.h - the executor: several loops, each on a thread of its own, started and stopped
 * together. Work is placed on a loop when it is made and stays there. Manual: xtc_exec(3).
 */
#ifndef XTC_EXEC_H
#define XTC_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_async.h"
#include "xtc_export.h"
#include "xtc_loop.h"

XTC_BEGIN_DECLS

typedef struct xtc_exec xtc_exec_t;

/* A share of a loop's time that fibers can be put into; NULL is the default share. */
typedef struct xtc_run_class* xtc_exec_class_t;

typedef struct xtc_loop_stats {
    uint64_t tasks_run; /* task steps and fiber runs */
    uint64_t steals;    /* always 0: work never moves between loops */
} xtc_loop_stats_t;

/* Makes an executor of n_loops loops, one for each processor when n_loops <= 0. Threads are made
 * at the first run. The caller owns it until xtc_exec_fini. Any thread.
 * Errors: XTC_E_INVAL (NULL), XTC_E_RANGE (more than 65534 loops), and those of xtc_loop_init:
 * XTC_E_NOMEM, XTC_E_NOSYS, XTC_E_RESOURCE, XTC_E_INTERNAL. */
XTC_API int xtc_exec_init(xtc_exec_t** out, int n_loops);

/* Ends the parked worker threads and frees the executor with its loops and whatever is left
 * on them. Any plain thread, after xtc_exec_run has returned.
 * Errors: XTC_E_INVAL (NULL, running, or called on one of its loops). */
XTC_API int xtc_exec_fini(xtc_exec_t* exec);

/* Runs all loops, each on its own thread, and blocks the caller until everything is done and
 * idle, or until xtc_exec_stop; in service mode only the latter. May be called again: the same
 * threads go on. A plain thread.
 * Errors: XTC_E_INVAL (NULL, already running, called on a loop, or inherited through fork),
 * XTC_E_NOMEM and XTC_E_RESOURCE (a thread, or what a loop waits with, could not be made),
 * XTC_E_INTERNAL (a loop failed; the others were stopped). */
XTC_API int xtc_exec_run(xtc_exec_t* exec);

/* Makes xtc_exec_run return after each loop's current step; unfinished work stays. A stop that
 * comes before a run ends that run at once. Any thread.
 * Errors: XTC_E_INVAL (NULL, or inherited through fork). */
XTC_API int xtc_exec_stop(xtc_exec_t* exec);

/* The number of loops; 0 for NULL. Any thread. */
XTC_API int xtc_exec_n_loops(xtc_exec_t* exec);
/* Loop idx, owned by the executor; NULL when out of range. Any thread. */
XTC_API xtc_loop_t* xtc_exec_loop(xtc_exec_t* exec, int idx);

/* Where the caller runs: the index of the executor's loop, or -1 elsewhere. The shard is the
 * same for code that also runs on a standalone loop: that one is 0 of 1; off any loop, -1 and
 * 0. Any thread. */
XTC_API int xtc_exec_loop_id(void);
XTC_API int xtc_shard_id(void);
XTC_API int xtc_shard_count(void);

/* Counters of one loop; exact when the loop rests. Any thread.
 * Errors: XTC_E_INVAL (NULL, or idx out of range). */
XTC_API int xtc_exec_loop_stats(xtc_exec_t* exec, int idx, xtc_loop_stats_t* out);

/* Queue a task (xtc_task_spawn) or a fiber (xtc_async) on the next loop in turn, or on loop
 * idx. out may be NULL. Any thread, before and during a run.
 * Errors: XTC_E_INVAL (NULL exec or fn, or idx out of range), XTC_E_NOMEM, XTC_E_RESOURCE (a
 * cap of that loop's accountant, or the kernel's limit on mappings). */
XTC_API int xtc_exec_spawn(xtc_exec_t* exec, xtc_task_fn fn, void* user, xtc_task_t** out);
XTC_API int xtc_exec_spawn_on(xtc_exec_t* exec, int idx, xtc_task_fn fn, void* user, xtc_task_t** out);
XTC_API int xtc_exec_async(xtc_exec_t* exec, xtc_coro_fn fn, void* arg, xtc_task_t** out);
XTC_API int xtc_exec_async_on(xtc_exec_t* exec, int idx, xtc_coro_fn fn, void* arg, xtc_task_t** out);

/* Service mode (1) keeps xtc_exec_run going when there is nothing to do; 0 is the default. Any
 * thread, any time; NULL does nothing and reads 0. */
XTC_API void xtc_exec_set_service_mode(xtc_exec_t* exec, int on);
XTC_API int xtc_exec_get_service_mode(xtc_exec_t* exec);

/* Pins loop i to processor cpus[i % n] when its thread starts; without it nothing is pinned. The
 * array is copied. Before the first run.
 * Errors: XTC_E_INVAL (NULL, n < 1, a processor this process may not use, or after the first
 * run), XTC_E_NOMEM. */
XTC_API int xtc_exec_set_cpus(xtc_exec_t* exec, const int* cpus, int n);

/* xtc_loop_set_spin for every loop. Any thread, any time.
 * Errors: XTC_E_INVAL (NULL, or negative). */
XTC_API int xtc_exec_set_spin(xtc_exec_t* exec, int64_t max_ns);

/* Bounds of xtc_exec_class_create, and the share of fibers without a class. */
#define XTC_EXEC_CLASS_SHARES_MAX 1000
#define XTC_EXEC_CLASS_DEFAULT_SHARES 100
#define XTC_EXEC_CLASS_MAX 64 /* classes of one loop */

/* A share of one loop's time: when fibers of several classes are ready, each class gets time in
 * proportion to its shares, 1 to 1000, however many fibers it has; a class that rests saves
 * nothing up. While fibers of a class with a latency_ns above 0 live, xtc_yield_check asks for a
 * yield after that time, or after the loop's yield budget if that is less. A fiber joins at its
 * spawn (sched_class of the options) or by xtc_proc_set_class. The class belongs to the loop and
 * is freed with it. A loop none of whose fibers has a class does not pay for classes. On the loop,
 * or while nobody runs it. Manual: xtc_sched(3).
 * Errors: XTC_E_INVAL (NULL, shares or latency out of range, another thread while the loop runs),
 * XTC_E_AGAIN (XTC_EXEC_CLASS_MAX classes), XTC_E_NOMEM. */
XTC_API int xtc_exec_class_create(xtc_loop_t* loop, int shares, int64_t latency_ns, xtc_exec_class_t* out);

/* What the class was made with, how many runs its fibers had, and its virtual time: the
 * nanoseconds they ran (at least 256 a run), times 1024 / shares. 0 for NULL. Any thread while the
 * loop lives. */
XTC_API int xtc_exec_class_shares(xtc_exec_class_t c);
XTC_API int64_t xtc_exec_class_latency(xtc_exec_class_t c);
XTC_API uint64_t xtc_exec_class_runs(xtc_exec_class_t c);
XTC_API uint64_t xtc_exec_class_vruntime(xtc_exec_class_t c);

XTC_END_DECLS

#endif /* XTC_EXEC_H */
