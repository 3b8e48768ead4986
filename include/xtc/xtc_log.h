/* SPDX-License-Identifier: ISC */
/*
 * xtc_log.h - a log that never makes its writer wait: records go into a ring, and whoever calls
 * drain writes them out. The library itself logs only to the default log, and only when the
 * host has set one. Manual: xtc_log(3).
 */
#ifndef XTC_LOG_H
#define XTC_LOG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef enum xtc_log_level {
    XTC_LOG_TRACE = 0,
    XTC_LOG_DEBUG = 1,
    XTC_LOG_INFO = 2,
    XTC_LOG_WARN = 3,
    XTC_LOG_ERROR = 4,
    XTC_LOG_FATAL = 5
} xtc_log_level_t;

typedef struct xtc_log xtc_log_t;

/* Gets one whole line with its newline, from the draining thread. Below 0 means it failed. */
typedef int (*xtc_log_sink_fn)(void* user, xtc_log_level_t level, const char* buf, size_t len);

typedef struct xtc_log_opts {
    int ring_size;         /* records kept until drained; <= 0 means 4096 */
    int record_max;        /* bytes of text in a record; <= 0 means 256; longer ones are cut */
    xtc_log_level_t floor; /* records below are not kept */
    int sink_fd;           /* where drain writes; -1 nowhere; stays the caller's */
    xtc_log_sink_fn sink;  /* takes the lines instead of sink_fd */
    void* sink_user;
} xtc_log_opts_t;

/* Initialises an xtc_log_opts_t: INFO and above, to standard error. What NULL options mean. */
#define XTC_LOG_OPTS_DEFAULT {4096, 256, XTC_LOG_INFO, 2, NULL, NULL}

/* Makes a log; the caller owns it. opts may be NULL. The ring is allocated here. Any thread.
 * Errors: XTC_E_INVAL (NULL out, or an unknown floor), XTC_E_RANGE (sizes overflow), XTC_E_NOMEM. */
XTC_API int xtc_log_create(const xtc_log_opts_t* opts, xtc_log_t** out);

/* Drains and frees it; nobody may use it any more. If it was the default log there is none
 * afterwards. NULL does nothing. */
XTC_API void xtc_log_destroy(xtc_log_t* log);

/* Changes the floor. Any thread.
 * Errors: XTC_E_INVAL (NULL, or unknown level). */
XTC_API int xtc_log_set_floor(xtc_log_t* log, xtc_log_level_t level);

/* Makes it the process's default log, which the macros and the library write to; NULL takes it
 * away. Always XTC_OK. Any thread. */
XTC_API int xtc_log_set_default(xtc_log_t* log);
/* The default log, or NULL. Any thread. */
XTC_API xtc_log_t* xtc_log_default(void);

/* Formats a line, level and text, into the ring; when it is full the oldest goes and is counted.
 * Never waits and never writes, except for XTC_LOG_FATAL: that drains the ring and is written
 * before the call returns. NULL, or a level below the floor, does nothing. Any thread. */
XTC_API XTC_PRINTF(3, 4) void xtc_log_write(xtc_log_t* log, xtc_log_level_t level, const char* fmt, ...);
XTC_API XTC_PRINTF(3, 0) void xtc_log_vwrite(xtc_log_t* log, xtc_log_level_t level, const char* fmt,
                                             va_list ap);

/* Writes out what is in the ring and returns how many records that were. May block on the
 * sink, so not in a fiber. One drains, others wait. Any thread.
 * Errors: XTC_E_INVAL (NULL), XTC_E_IO (the sink failed; the rest stays in the ring). */
XTC_API int xtc_log_drain(xtc_log_t* log);

/* Records lost to a full ring since the log was made; 0 for NULL. Any thread. */
XTC_API int xtc_log_drop_count(const xtc_log_t* log);

#define XTC_LOG(level, ...) xtc_log_write(xtc_log_default(), (level), __VA_ARGS__)
#define XTC_LOG_TRACE_F(...) XTC_LOG(XTC_LOG_TRACE, __VA_ARGS__)
#define XTC_LOG_DEBUG_F(...) XTC_LOG(XTC_LOG_DEBUG, __VA_ARGS__)
#define XTC_LOG_INFO_F(...) XTC_LOG(XTC_LOG_INFO, __VA_ARGS__)
#define XTC_LOG_WARN_F(...) XTC_LOG(XTC_LOG_WARN, __VA_ARGS__)
#define XTC_LOG_ERROR_F(...) XTC_LOG(XTC_LOG_ERROR, __VA_ARGS__)
#define XTC_LOG_FATAL_F(...) XTC_LOG(XTC_LOG_FATAL, __VA_ARGS__)

XTC_END_DECLS

#endif /* XTC_LOG_H */
