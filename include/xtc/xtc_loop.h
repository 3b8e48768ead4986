/* SPDX-License-Identifier: ISC */
/*
 * xtc_loop.h - the event loop: one thread's worth of tasks, fibers, timers and descriptors.
 * This header makes, runs, steps and wakes loops, and has the stackless task, the waker and
 * the timer. Fibers are in xtc_async.h and xtc_proc.h, several loops together in xtc_exec.h.
 * Manual: xtc_loop(3).
 *
 * "The loop's thread" is the thread that runs it; before the first run, the one that sets it
 * up. Loop handles are pointers that live until xtc_loop_fini. Task, timer and waker handles
 * are tokens: a stale one is recognised and does nothing.
 */
#ifndef XTC_LOOP_H
#define XTC_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef struct xtc_loop xtc_loop_t;
typedef struct xtc_task xtc_task_t;
typedef struct xtc_timer xtc_timer_t;
struct xtc_res;

/* A task's step: called on the loop's thread, returns one of XTC_TASK_*. It must not block. */
typedef int (*xtc_task_fn)(xtc_task_t* self, void* user);
/* A timer's function: called once on the loop's thread, outside any fiber. */
typedef void (*xtc_timer_fn)(void* user);

#define XTC_TASK_DONE 0    /* finished: never called again */
#define XTC_TASK_RESCHED 1 /* call again, after the others had their turn */
#define XTC_TASK_PENDING 2 /* call again when woken */

/* Names one task to wake. A plain value: copy it, keep it, drop it. */
typedef struct xtc_waker {
    xtc_loop_t* loop;
    xtc_task_t* task;
} xtc_waker_t;

/* Makes a loop; the caller owns it until xtc_loop_fini. Reads XTC_IO_BACKEND. Any thread.
 * Errors: XTC_E_INVAL (out is NULL, or XTC_IO_BACKEND holds an unknown word), XTC_E_NOMEM,
 * XTC_E_NOSYS (XTC_IO_BACKEND asks for a backend that is not available), XTC_E_RESOURCE (no
 * descriptors left), XTC_E_INTERNAL (the kernel refused for another reason). */
XTC_API int xtc_loop_init(xtc_loop_t** out);

/* Frees the loop with all tasks, fibers, stacks and timers on it; parked fibers are dropped
 * without unwinding. Same thread as the last run; never while it runs. In a forked child only
 * memory is freed.
 * Errors: XTC_E_INVAL (NULL, running, or owned by an executor). */
XTC_API int xtc_loop_fini(xtc_loop_t* loop);

/* Runs until all tasks and fibers are done and all timers fired or were cancelled, or until
 * xtc_loop_stop; an empty loop returns XTC_OK at once. May be called again. Sleeps in the
 * kernel when idle.
 * Errors: XTC_E_INVAL (NULL, already running, owned by an executor, called on a loop, or
 * inherited through fork), XTC_E_NOMEM and XTC_E_RESOURCE (what it waits with could not be set
 * up at the first run), XTC_E_INTERNAL (the kernel refused to wait). */
XTC_API int xtc_loop_run(xtc_loop_t* loop);

/* Makes xtc_loop_run return after the step it is in; what is unfinished stays and goes on at
 * the next run. A stop that comes before a run ends that run at once. Any thread.
 * Errors: XTC_E_INVAL (NULL, or inherited through fork). */
XTC_API int xtc_loop_stop(xtc_loop_t* loop);

/* Makes the loop look for work now, even when it sleeps. Needed only by those who hand over
 * work by means of their own; everything in this library that makes work wakes the loop
 * itself. Any thread.
 * Errors: XTC_E_INVAL (NULL, or inherited through fork). */
XTC_API int xtc_loop_wake(xtc_loop_t* loop);

/* The loop's resource accountant, borrowed until xtc_loop_fini: see xtc_res.h. Any thread.
 * NULL for NULL. */
XTC_API struct xtc_res* xtc_loop_res(xtc_loop_t* loop);

/* How long, in nanoseconds, the loop may look for work before it sleeps; 0, the default,
 * sleeps at once. It adapts below the bound. Ignored on a single processor and in simulation.
 * Any thread, any time.
 * Errors: XTC_E_INVAL (NULL, or negative). */
XTC_API int xtc_loop_set_spin(xtc_loop_t* loop, int64_t max_ns);

/* Embedding: a host with a loop of its own polls xtc_loop_pollfd for reading, at most until
 * xtc_loop_next_deadline, then calls xtc_loop_step, then asks for the deadline again. All
 * three always on the same thread. The first step counts as the loop's first run. */

/* A descriptor that becomes readable when the loop has something to do. The loop owns it: poll
 * it, but neither read nor close it. Returns the descriptor, or a negative code.
 * Errors: XTC_E_INVAL (NULL, owned by an executor, or inherited through fork), XTC_E_NOMEM,
 * XTC_E_RESOURCE (no descriptors left), XTC_E_INTERNAL (the kernel refused). */
XTC_API int xtc_loop_pollfd(xtc_loop_t* loop);

/* Nanoseconds from now until the loop wants a step: 0 when work is ready, -1 when only the
 * descriptor can bring work (or loop is NULL). */
XTC_API int64_t xtc_loop_next_deadline(xtc_loop_t* loop);

/* One turn: runs what is ready, waiting for it at most timeout_ns (0 never sleeps, negative
 * waits for ever). XTC_OK when something ran.
 * Errors: XTC_E_AGAIN (nothing ran), XTC_E_INVAL (NULL, running, owned by an executor, called
 * on a loop, or inherited through fork), and those of xtc_loop_run: XTC_E_NOMEM,
 * XTC_E_RESOURCE, XTC_E_INTERNAL. */
XTC_API int xtc_loop_step(xtc_loop_t* loop, int64_t timeout_ns);

/* Queues a stackless task. user is borrowed until the task is done. out may be NULL. The
 * loop's thread, also from inside a task; any thread when the loop belongs to an executor.
 * Errors: XTC_E_INVAL (NULL loop or fn), XTC_E_NOMEM, XTC_E_RESOURCE (XTC_RES_TASKS or
 * XTC_RES_INBOX_MSGS is at its cap). */
XTC_API int xtc_task_spawn(xtc_loop_t* loop, xtc_task_fn fn, void* user, xtc_task_t** out);

/* A waker for the task. The loop's thread.
 * Errors: XTC_E_INVAL (NULL, or the task is gone). */
XTC_API int xtc_task_waker(xtc_task_t* task, xtc_waker_t* out);

/* From inside the task's step: be called again after delay_ns. Return XTC_TASK_PENDING next.
 * Errors: XTC_E_INVAL (not the running task, negative, or already parked), XTC_E_NOMEM. */
XTC_API int xtc_task_park_on_timer(xtc_task_t* self, int64_t delay_ns);

/* From inside the task's step: be called again when fd shows one of the XTC_IO_* bits in
 * interest, or an error. Return XTC_TASK_PENDING next. The descriptor stays the caller's, open until then.
 * Errors: XTC_E_INVAL (not the running task, already parked, no interest, or a descriptor that
 * cannot be waited on), XTC_E_NOMEM, XTC_E_RESOURCE (the kernel's limit). */
XTC_API int xtc_task_park_on_fd(xtc_task_t* self, int fd, uint32_t interest);

/* Queues a pending task; a task that runs right now will run once more; wakes do not add up.
 * Waking a finished task is XTC_OK and does nothing. Any thread, while the loop lives.
 * Errors: XTC_E_INVAL (NULL, or a waker that was never filled). */
XTC_API int xtc_waker_wake(const xtc_waker_t* waker);

/* Calls fn(user) once, no earlier than delay_ns from now, in order of deadline. out may be
 * NULL. The loop's thread.
 * Errors: XTC_E_INVAL (NULL loop or fn, negative, or a foreign thread), XTC_E_NOMEM. */
XTC_API int xtc_timer_set(xtc_loop_t* loop, int64_t delay_ns, xtc_timer_fn fn, void* user,
                          xtc_timer_t** out);

/* The function will not be called any more. XTC_OK also when it was called or cancelled
 * before. Frees the timer's memory at once. The loop's thread.
 * Errors: XTC_E_INVAL (NULL, or a foreign thread). */
XTC_API int xtc_timer_cancel(xtc_timer_t* timer);

XTC_END_DECLS

#endif /* XTC_LOOP_H */
