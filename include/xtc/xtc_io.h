/* SPDX-License-Identifier: ISC */
/*
 * xtc_io.h - the readiness bits that waits on descriptors take and give, and the name of the
 * kernel interface a loop waits with. Manual: xtc_io(3).
 */
#ifndef XTC_IO_H
#define XTC_IO_H

#include "xtc_export.h"

XTC_BEGIN_DECLS

#define XTC_IO_READABLE 0x01u
#define XTC_IO_WRITABLE 0x02u
#define XTC_IO_HUP 0x04u    /* the other side has gone; given without being asked for */
#define XTC_IO_ERR 0x08u    /* an error is pending; given without being asked for */
#define XTC_IO_WAKEUP 0x10u /* reserved: compatible name, never given */
#define XTC_IO_AIO 0x20u    /* reserved: compatible name, never given */

/* "uring", "epoll" or, in a simulation, "sim": the current loop's; off a loop, what a new loop
 * would use, or "none" when XTC_IO_BACKEND rules every one out. Any thread; static storage. */
XTC_API const char* xtc_io_backend_name(void);

XTC_END_DECLS

#endif /* XTC_IO_H */
