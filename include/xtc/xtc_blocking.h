/* SPDX-License-Identifier: ISC */
/*
 * xtc_blocking.h - the thread pool for calls that block: file systems, resolvers, other
 * people's libraries. One pool for each process, made on first use. A closure that runs can not
 * be interrupted, so neither a kill nor a timeout ends its caller's wait early.
 * Manual: xtc_blocking(3).
 */
#ifndef XTC_BLOCKING_H
#define XTC_BLOCKING_H

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

/* Runs fn(arg) on a pool thread while the calling fiber is parked; XTC_OK once it has run, its
 * answer in out_result (may be NULL). On a plain thread it runs right there. Everything arg
 * points to may be on the caller's stack.
 * Errors: XTC_E_INVAL (NULL fn, or on a loop's thread outside a fiber), XTC_E_NOMEM and
 * XTC_E_RESOURCE (no thread could be made; fn has not run), XTC_E_ABORTED (the pool is shutting
 * down; fn has not run). */
XTC_API int xtc_blocking_run(int (*fn)(void*), void* arg, int* out_result);

/* Hands fn(arg) to the pool and returns; its answer is ignored. arg is borrowed until fn has
 * returned. Any thread.
 * Errors: XTC_E_INVAL (NULL fn), XTC_E_NOMEM, XTC_E_RESOURCE (no thread could be made),
 * XTC_E_ABORTED (the pool is shutting down). */
XTC_API int xtc_blocking_submit(int (*fn)(void*), void* arg);

/* As xtc_blocking_run, for plain threads that want a pool thread to run it: the caller blocks.
 * Errors: XTC_E_INVAL (NULL fn, or on a loop's thread), XTC_E_NOMEM and XTC_E_RESOURCE (no
 * thread could be made), XTC_E_ABORTED (the pool is shutting down). */
XTC_API int xtc_blocking_run_off_loop(int (*fn)(void*), void* arg, int* out_result);

/* How many threads the pool may have, 1 to 64; by default at least 4, else one for each
 * processor, growing to 64 on demand. Before the first use or after a shutdown. Any thread.
 * Errors: XTC_E_INVAL (out of range, or the pool runs). */
XTC_API int xtc_blocking_pool_size(int nthreads);

/* Waits until all accepted closures have run and ends the threads; the next use starts the
 * pool again. Plain threads only: it does nothing on a loop's thread or one of the pool. Calling
 * it twice is harmless. */
XTC_API void xtc_blocking_shutdown(void);

XTC_END_DECLS

#endif /* XTC_BLOCKING_H */
