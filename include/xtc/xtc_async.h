/* SPDX-License-Identifier: ISC */
/*
 * xtc_async.h - fibers: functions with a stack of their own that may stop in the middle.
 * Start one, await its result, yield; measure whether it is time to yield; set the size of
 * stacks and find out whose stack an address is in. A fiber never leaves its loop. With a mailbox
 * and an identity it is a process: xtc_proc.h. Manual: xtc_async(3).
 */
#ifndef XTC_ASYNC_H
#define XTC_ASYNC_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_export.h"
#include "xtc_loop.h"

XTC_BEGIN_DECLS

struct xtc_pid;

/* A fiber's function; its return value is the result. No C++ exception may leave it. */
typedef intptr_t (*xtc_coro_fn)(void* arg);

/* Starts fn(arg) in a fiber of the loop; it runs at the loop's next turn. With out, a small
 * record keeps the result until xtc_await took it or the loop is finalised; with NULL nothing
 * is kept. arg is borrowed. The loop's thread; from elsewhere use xtc_exec_async_on.
 * Errors: XTC_E_INVAL (NULL loop or fn), XTC_E_NOMEM, XTC_E_RESOURCE (XTC_RES_TASKS is at its
 * cap, or the kernel's limit on mappings is reached). */
XTC_API int xtc_async(xtc_loop_t* loop, xtc_coro_fn fn, void* arg, xtc_task_t** out);

/* Waits for a fiber started with out and takes its result; the handle is used up. result may
 * be NULL. On a fiber it parks. On a plain thread it drives the fiber's loop, or blocks when
 * an executor runs that loop.
 * Errors: XTC_E_INVAL (NULL or used-up handle, the fiber itself, another one awaits it, or
 * called on a loop's thread outside a fiber), XTC_E_AGAIN (the driven loop was stopped first;
 * the handle stays good), XTC_E_ABORTED (its loop was finalised meanwhile), XTC_E_DEADLK (a
 * plain thread inside a simulation), XTC_E_NOMEM, XTC_E_RESOURCE (as xtc_loop_run). */
XTC_API int xtc_await(xtc_task_t* task, intptr_t* result);

/* Lets the others run, then goes on; a pending kill is delivered here. Does nothing outside a
 * fiber. */
XTC_API void xtc_yield(void);

/* The time one fiber should run before it yields; 0, the default, means no budget. Negative
 * counts as 0. NULL does nothing. Any thread. */
XTC_API void xtc_yield_set_budget(xtc_loop_t* loop, int64_t ns);
/* 1 when the running fiber has used up its budget, else 0; 0 off a loop. */
XTC_API int xtc_yield_check(void);
/* The same, and yields when the answer is 1. */
XTC_API int xtc_yield_if_due(void);
/* How often a fiber of this loop was found over its budget by the two calls above; 0 for NULL.
 * Any thread. */
XTC_API uint64_t xtc_yield_due_count(const xtc_loop_t* loop);

/* The size in bytes of stacks made from now on, 65536 by default, without the guard below.
 * Any thread. */
XTC_API size_t xtc_stack_size(void);
/* Sets it, rounded up to a page; stacks that exist keep theirs. Any thread.
 * Errors: XTC_E_INVAL (less than 16384), XTC_E_RANGE (more than 1 GiB). */
XTC_API int xtc_set_stack_size(size_t bytes);

/* Whose stack, or guard below it, holds addr: the process (XTC_PID_NONE for a fiber that is not
 * one) and its name, cut to cap bytes with the NUL. Every out pointer may be NULL.
 * Async-signal-safe: made for a host's SIGSEGV handler. Any thread.
 * Errors: XTC_E_NOTFOUND (no fiber's stack). */
XTC_API int xtc_stack_owner(const void* addr, struct xtc_pid* out, char* name, size_t cap);

/* Opt-in: from now on a stack overflow writes one line with the fiber's name to fd, then the
 * previous SIGSEGV and SIGBUS handlers run. Loop threads get an alternate signal stack. Once per
 * process, before the first run; a second call only changes fd. fd stays the caller's.
 * Errors: XTC_E_INVAL (negative fd), XTC_E_NOMEM, XTC_E_INTERNAL (the kernel refused). */
XTC_API int xtc_stack_report_install(int fd);

/* Marks code that must keep the processor between two points; documentation only. */
#define XTC_COOP_REGION

/* Protothreads: a stackless function that continues where it left off. Locals are not kept;
 * put them into a struct. Not two XTC_PT_* on one line, none inside a switch.
 *
 *     static XTC_PT_THREAD(blink(xtc_pt_t *pt)) { XTC_PT_BEGIN(pt); ... XTC_PT_END(pt); }
 */
typedef struct xtc_pt {
    unsigned short lc;
} xtc_pt_t;

#define XTC_PT_YIELDED 0 /* the function has more to do */
#define XTC_PT_DONE 2    /* it is through; the next call starts again */

#define XTC_PT_THREAD(...) char __VA_ARGS__
#define XTC_PT_INIT(pt) ((pt)->lc = 0)
#define XTC_PT_BEGIN(pt)                                                                                     \
    switch ((pt)->lc) {                                                                                      \
    case 0:
#define XTC_PT_YIELD(pt)                                                                                     \
    do {                                                                                                     \
        (pt)->lc = (unsigned short)__LINE__;                                                                 \
        return XTC_PT_YIELDED;                                                                               \
    case __LINE__:;                                                                                          \
    } while (0)
/* Goes on in the same call when cond holds already. */
#define XTC_PT_WAIT_UNTIL(pt, cond)                                                                          \
    do {                                                                                                     \
        if (cond) break;                                                                                     \
        (pt)->lc = (unsigned short)__LINE__;                                                                 \
        return XTC_PT_YIELDED;                                                                               \
    case __LINE__:                                                                                           \
        if (!(cond)) return XTC_PT_YIELDED;                                                                  \
    } while (0)
#define XTC_PT_END(pt)                                                                                       \
    }                                                                                                        \
    (pt)->lc = 0;                                                                                            \
    return XTC_PT_DONE

XTC_END_DECLS

#endif /* XTC_ASYNC_H */
