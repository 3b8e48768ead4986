/* SPDX-License-Identifier: ISC */
/*
 * xtc_inspect.h - looking at a process from outside: whether it is still in the process table,
 * what it waits for, how full its mailbox is. Manual: xtc_inspect(3).
 */
#ifndef XTC_INSPECT_H
#define XTC_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_export.h"
#include "xtc_proc.h"

XTC_BEGIN_DECLS

enum xtc_proc_run_state {
    XTC_PROC_SCHEDULED = 0, /* ready, waiting for its turn */
    XTC_PROC_RUNNING = 1,
    XTC_PROC_PARKED = 2, /* park_reason says on what */
    XTC_PROC_DONE = 3    /* through, about to leave the table */
};

enum xtc_park_reason {
    XTC_PARK_NONE = 0, /* not parked */
    XTC_PARK_FD = 1,
    XTC_PARK_TIMER = 2,
    XTC_PARK_MAILBOX = 3,
    XTC_PARK_OTHER = 4 /* a future, a notify, the blocking pool, another fiber */
};

typedef struct xtc_proc_info {
    xtc_pid_t pid;
    int run_state;     /* enum xtc_proc_run_state */
    int park_reason;   /* enum xtc_park_reason */
    int alive;         /* 0 once its function has ended, though exit hooks may still run */
    int kill_pending;  /* a kill was asked for and is not delivered yet */
    unsigned mask_depth;
    int mask_deferred; /* a kill is held back by the mask */
    size_t mbox_len;
    size_t mbox_peak;
    size_t mbox_cap;
    size_t mbox_saved;
    uint64_t mbox_recv_total;
    uint64_t mbox_drop_total;
} xtc_proc_info_t;

/* A snapshot of one process. XTC_E_NOTFOUND is the proof that it is gone for good: function
 * ended, exit hooks through, slot given back. Any thread.
 * Errors: XTC_E_INVAL (out is NULL), XTC_E_NOTFOUND (not in the process table). */
XTC_API int xtc_proc_info(xtc_pid_t pid, xtc_proc_info_t* out);

XTC_END_DECLS

#endif /* XTC_INSPECT_H */
