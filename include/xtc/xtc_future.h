/* SPDX-License-Identifier: ISC */
/*
 * xtc_future.h - one value, handed once from whoever sets the promise to whoever reads the
 * future, across loops and threads. Manual: xtc_future(3).
 *
 * Each half is a handle that exactly one call uses up: the promise by set or drop, the future
 * by await, by a wait that did not time out, or by discard. A used-up handle is not valid any
 * more. The value's meaning, and what it may point to, is between the two sides.
 */
#ifndef XTC_FUTURE_H
#define XTC_FUTURE_H

#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef struct xtc_future xtc_future_t;
typedef struct xtc_promise xtc_promise_t;

/* Makes both halves; the caller owns them. Any thread.
 * Errors: XTC_E_INVAL (NULL), XTC_E_NOMEM. */
XTC_API int xtc_future_new_pair(xtc_promise_t** out_promise, xtc_future_t** out_future);

/* Completes the future with a value and a status, wakes the reader, uses up the promise. The
 * status is what await and wait return: XTC_OK, or XTC_E_* but better not XTC_E_AGAIN. XTC_OK
 * also when the future was discarded; the value is lost then. Any thread; never waits.
 * Errors: XTC_E_INVAL (NULL). */
XTC_API int xtc_promise_set(xtc_promise_t* promise, intptr_t value, int status);

/* Gives up: the future completes with XTC_E_ABORTED. Uses up the promise. NULL does nothing.
 * Any thread. */
XTC_API void xtc_promise_drop(xtc_promise_t* promise);

/* 1 when the future was discarded, so that nobody will see a value; else 0, also for NULL. The
 * one who holds the promise, any thread. */
XTC_API int xtc_promise_abandoned(const xtc_promise_t* promise);

/* Parks the fiber until the future is complete, takes value and status, uses up the future. out
 * may be NULL; it is written whatever the status. Fibers only.
 * Errors: XTC_E_INVAL (NULL, or not on a fiber; not used up), XTC_E_ABORTED (the promise was
 * dropped), or the status that was set. */
XTC_API int xtc_future_await(xtc_future_t* future, intptr_t* out);

/* The same with a bound, also for plain threads, which block. After a timeout the future is as
 * before. A status of XTC_E_AGAIN looks like a timeout: who may meet one asks
 * xtc_future_ready first.
 * Errors: XTC_E_AGAIN (timeout), XTC_E_INVAL (NULL, or on a loop's thread outside a fiber; not
 * used up), XTC_E_ABORTED (the promise was dropped), XTC_E_DEADLK (a plain thread inside a
 * simulation), or the status that was set. */
XTC_API int xtc_future_wait(xtc_future_t* future, intptr_t* out, int64_t timeout_ns);

/* Writes 1 when await and wait would return at once, else 0. Never uses up the future. Any thread.
 * Errors: XTC_E_INVAL (NULL). */
XTC_API int xtc_future_ready(xtc_future_t* future, int* is_ready);

/* Uses up the future without waiting. Any thread, but not while another reads it.
 * Errors: XTC_E_INVAL (NULL). */
XTC_API int xtc_future_discard(xtc_future_t* future);

XTC_END_DECLS

#endif /* XTC_FUTURE_H */
