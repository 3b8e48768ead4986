/* SPDX-License-Identifier: ISC */
/*
 * xtc_sync.h - waiting for each other across fibers and threads. For now the notify: one
 * stored permit that any thread may give and one waiter takes. Manual: xtc_sync(3).
 */
#ifndef XTC_SYNC_H
#define XTC_SYNC_H

#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef struct xtc_notify xtc_notify_t;

/* Makes a notify without a permit; the caller owns it. Any thread.
 * Errors: XTC_E_INVAL (NULL), XTC_E_NOMEM. */
XTC_API int xtc_notify_create(xtc_notify_t** out);

/* Frees it; nobody may wait on it or signal it any more. NULL does nothing. Any thread. */
XTC_API void xtc_notify_destroy(xtc_notify_t* notify);

/* Wakes one waiter, or leaves a permit for the next; permits do not add up. Any thread; never
 * waits.
 * Errors: XTC_E_INVAL (NULL). */
XTC_API int xtc_notify_signal(xtc_notify_t* notify);

/* Takes the permit, waiting at most timeout_ns for it: a fiber parks, a plain thread blocks.
 * First come, first served. A kill wakes a process parked here; a permit it was handed goes to
 * the next.
 * Errors: XTC_E_AGAIN (timeout), XTC_E_INVAL (NULL, or on a loop's thread outside a fiber),
 * XTC_E_DEADLK (a plain thread inside a simulation). */
XTC_API int xtc_notify_wait(xtc_notify_t* notify, int64_t timeout_ns);

XTC_END_DECLS

#endif /* XTC_SYNC_H */
