/* SPDX-License-Identifier: ISC */
/*
 * xtc_proc.h - processes: fibers with an identity, a mailbox, waits that end on descriptors,
 * messages or time, and an orderly death. Not operating system processes. A process lives on
 * the loop it was spawned on and never leaves it. Manual: xtc_proc(3).
 *
 * "Processes only" calls answer XTC_E_INVAL elsewhere. Whatever a process waits for, a kill
 * wakes it at its loop's next turn, unless it is masked or another thread or the kernel may
 * still write to its memory.
 */
#ifndef XTC_PROC_H
#define XTC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_exec.h"
#include "xtc_export.h"
#include "xtc_io.h"
#include "xtc_loop.h"

XTC_BEGIN_DECLS

/* Names a process for ever: a later one in the same place has another gen. Compare with
 * xtc_pid_eq; how gen is made up is the library's business. */
typedef struct xtc_pid {
    uint16_t loop_id; /* 0 for a standalone loop, else the executor's loop index + 1 */
    uint16_t local_id;
    uint32_t gen;
} xtc_pid_t;

/* No process. */
#ifdef __cplusplus
#define XTC_PID_NONE (xtc_pid_t{0, 0, 0})
#else
#define XTC_PID_NONE ((xtc_pid_t){0, 0, 0})
#endif

static inline int xtc_pid_eq(xtc_pid_t a, xtc_pid_t b) {
    return a.loop_id == b.loop_id && a.local_id == b.local_id && a.gen == b.gen;
}
static inline int xtc_pid_is_none(xtc_pid_t pid) {
    return pid.loop_id == 0 && pid.local_id == 0 && pid.gen == 0;
}

/* A process's function. No C++ exception may leave it. */
typedef void (*xtc_proc_fn)(void* arg);

/* Options of xtc_proc_spawn; all zero is the default. The struct is copied, the name too. */
typedef struct xtc_proc_opts {
    const char* name;          /* for people: inspection, logs, stack reports; cut at 31 bytes */
    size_t mailbox_cap;        /* messages; 0 means 4096 */
    int link_to;               /* must be 0 */
    int mailbox_watermark_pct; /* 1..100: call the function when the mailbox gets this full; 0 never */
    /* Called on the sender's thread, once for each time the depth crosses the mark upwards. */
    void (*mailbox_watermark_fn)(xtc_pid_t self, size_t depth, size_t cap, void* user);
    void* mailbox_watermark_user;
    int migratable;               /* must be 0: processes do not move between loops */
    xtc_exec_class_t sched_class; /* NULL, or a class of the same loop */
} xtc_proc_opts_t;

#define XTC_PROC_OPTS2_VERSION 1u

/* Options of xtc_proc_spawn_ex. */
typedef struct xtc_proc_opts2 {
    size_t size;      /* sizeof(xtc_proc_opts2_t) */
    uint32_t version; /* XTC_PROC_OPTS2_VERSION */
    const char* name;
    size_t mailbox_cap;
    size_t stack_size; /* bytes; 0 means xtc_stack_size() */
    xtc_exec_class_t sched_class;
} xtc_proc_opts2_t;

typedef struct xtc_mailbox_stats {
    size_t depth; /* messages waiting now */
    size_t saved; /* set aside by selective receive */
    size_t peak;  /* the deepest it ever was */
    size_t cap;
    uint64_t recv_total;
    uint64_t drop_total; /* sends that were refused */
} xtc_mailbox_stats_t;

/* Bits of xtc_proc_wait_fd's answer beside XTC_IO_*. */
#define XTC_WAIT_MAILBOX 0x10000u /* a message is there; it is not taken */
#define XTC_WAIT_TIMEOUT 0x20000u

/* How many hooks xtc_proc_at_exit takes for each process. */
#define XTC_PROC_AT_EXIT_MAX 16

/* Starts fn(arg) as a process of the loop. opts and out may be NULL. arg is borrowed. Any
 * thread.
 * Errors: XTC_E_INVAL (NULL loop or fn, an option out of range, migratable or link_to not 0, a
 * class of another loop), XTC_E_NOMEM, XTC_E_RESOURCE (no process slot left, XTC_RES_TASKS or
 * XTC_RES_INBOX_MSGS at its cap, or the kernel's limit on mappings). */
XTC_API int xtc_proc_spawn(xtc_loop_t* loop, xtc_proc_fn fn, void* arg, const xtc_proc_opts_t* opts,
                           xtc_pid_t* out);

/* The same with a stack of its own size. Any thread.
 * Errors: those of xtc_proc_spawn (XTC_E_INVAL also for a wrong size or a stack under 16384
 * bytes, XTC_E_NOMEM, XTC_E_RESOURCE), XTC_E_VERSION (unknown version), XTC_E_RANGE (a stack over 1 GiB). */
XTC_API int xtc_proc_spawn_ex(xtc_loop_t* loop, xtc_proc_fn fn, void* arg, const xtc_proc_opts2_t* opts,
                              xtc_pid_t* out);

/* The calling process, or XTC_PID_NONE. */
XTC_API xtc_pid_t xtc_self(void);

/* One pointer for the process's own use; never freed by the library. Processes only; the
 * getter gives NULL elsewhere.
 * Errors: XTC_E_INVAL (not a process). */
XTC_API int xtc_proc_set_userdata(void* data);
XTC_API void* xtc_proc_userdata(void);

/* Moves the calling process to a class of its loop (xtc_exec_class_create), or with NULL back to
 * the default share. What it ran until now counts for where it comes from. Processes only.
 * Errors: XTC_E_INVAL (not a process, or a class of another loop). */
XTC_API int xtc_proc_set_class(xtc_exec_class_t c);

/* Puts a copy of size bytes into the mailbox and wakes the receiver. data may be NULL when
 * size is 0. Never waits. Any thread. Do not drop the answer: XTC_E_AGAIN is a lost message.
 * Errors: XTC_E_INVAL (no such process any more, or NULL data), XTC_E_AGAIN (the mailbox is
 * full), XTC_E_NOMEM, XTC_E_RANGE (size too large), XTC_E_RESOURCE (a cap was reached). */
XTC_API XTC_WARN_UNUSED int xtc_send(xtc_pid_t to, const void* data, size_t size);

/* Takes the oldest message, waiting at most timeout_ns. The buffer is the caller's, aligned for any
 * type, freed with xtc_free. Processes only.
 * Errors: XTC_E_INVAL (not a process, or NULL), XTC_E_AGAIN (timeout). */
XTC_API int xtc_recv(void** out, size_t* size, int64_t timeout_ns);

/* A snapshot of a process's mailbox. Any thread.
 * Errors: XTC_E_INVAL (no such process, or NULL). */
XTC_API int xtc_proc_mailbox_stats(xtc_pid_t pid, xtc_mailbox_stats_t* out);

/* Ends a process's xtc_proc_wait_fd with XTC_OK and no bits; other waits look again and go on. XTC_OK
 * also when the process is gone. Any thread.
 * Errors: XTC_E_INVAL (XTC_PID_NONE). */
XTC_API int xtc_proc_wake(xtc_pid_t pid);

/* Waits until fd shows an XTC_IO_* bit of interest (or XTC_IO_ERR, XTC_IO_HUP), a message
 * arrives, xtc_proc_wake, or timeout_ns is over. out_revents is written with XTC_OK and with
 * XTC_E_AGAIN. The descriptor stays the caller's and must stay open; one waiter for each. A
 * socket, pipe, character device or anonymous inode (eventfd, timerfd, dma-fence). Processes
 * only.
 * Errors: XTC_E_AGAIN (time is over), XTC_E_INVAL (not a process, NULL, no or unknown interest, a
 * descriptor that is closed, cannot be waited on or has a waiter), XTC_E_ABORTED (closed by
 * xtc_net_close meanwhile), XTC_E_NOMEM, XTC_E_NOSYS, XTC_E_RESOURCE (the kernel refused to
 * watch it). */
XTC_API int xtc_proc_wait_fd(int fd, uint32_t interest, int64_t timeout_ns, uint32_t* out_revents);

/* Parks for at least ns nanoseconds; messages and wakes do not shorten it. Processes only.
 * Errors: XTC_E_INVAL (not a process, or negative). */
XTC_API int xtc_proc_sleep(int64_t ns);

/* Ends the calling process: its stack is unwound (destructors run), then its exit hooks, then
 * it leaves the process table. Does not return to a process.
 * Errors: XTC_E_INVAL (not a process, or ending already: in an exit hook or a destructor). */
XTC_API int xtc_exit_self(int reason);

/* Asks a process to end; the first reason wins. It ends when it next waits or yields, by the
 * same way as xtc_exit_self. XTC_OK means asked, not ended: xtc_proc_info tells. Any thread.
 * Errors: XTC_E_INVAL (no such process any more). */
XTC_API int xtc_exit_pid(xtc_pid_t pid, int reason);

/* Runs fn(arg) when the calling process ends, last registered first, still as that process and
 * still in the process table, also after a kill. A hook may wait; a kill does not end its
 * waits. Processes only.
 * Errors: XTC_E_INVAL (not a process, or NULL fn), XTC_E_NOMEM, XTC_E_RESOURCE
 * (XTC_PROC_AT_EXIT_MAX hooks are registered). */
XTC_API int xtc_proc_at_exit(void (*fn)(void*), void* arg);

/* Runs body(ud) with kills held back and returns its answer; a kill that came meanwhile is delivered
 * on the way out, and then the call does not return. Outside a process body just runs.
 * Errors: XTC_E_INVAL (NULL body). */
XTC_API int xtc_uncancelable(int (*body)(void*), void* ud);

/* Inside xtc_uncancelable: runs body(ud) with kills let through again. Elsewhere body just runs.
 * Errors: XTC_E_INVAL (NULL body). */
XTC_API int xtc_cancel_poll(int (*body)(void*), void* ud);

/* 1 when a kill waits for the calling process, else 0. */
XTC_API int xtc_cancel_requested(void);

/* The same mask by hand; they nest. The last leave delivers a waiting kill and then does not
 * return. Processes only.
 * Errors: XTC_E_INVAL (not a process, or leave without enter). */
XTC_API int xtc_mask_enter(void);
XTC_API int xtc_mask_leave(void);

XTC_END_DECLS

#endif /* XTC_PROC_H */
