/* SPDX-License-Identifier: ISC */
/*
 * xtc_net.h - TCP sockets: calls that never wait, to be used with xtc_proc_wait_fd, and calls
 * that park the fiber until the work is done. Every descriptor is non-blocking, close-on-exec
 * and the caller's. SIGPIPE is never raised. Manual: xtc_net(3).
 *
 * Hosts are numeric addresses or "localhost"; names are not looked up here, so nothing blocks.
 * With XTC_NET_UNIX the host is a socket's path, and ports are ignored.
 * Calls that wait are for fibers only and take one reader and one writer for each descriptor.
 */
#ifndef XTC_NET_H
#define XTC_NET_H

#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef enum xtc_net_family { XTC_NET_INET = 0, XTC_NET_INET6 = 1, XTC_NET_UNIX = 2 } xtc_net_family_t;

/* 0 leaves what the system does by default. */
typedef struct xtc_tcp_opts {
    int nodelay;
    int reuseaddr;
    int reuseport;
    int keepalive;
    int keepidle_s;
    int keepintvl_s;
    int keepcnt;
    int user_timeout_ms;
} xtc_tcp_opts_t;

/* Initialises an xtc_tcp_opts_t: no delay, address reuse. What NULL options mean. */
#define XTC_TCP_OPTS_DEFAULT {1, 1, 0, 0, 0, 0, 0, 0}

/* A listening socket on host (NULL or "" for every address) and port 1..65535. opts may be
 * NULL. Any thread; never waits.
 * Errors: XTC_E_INVAL (NULL out, unknown family, bad host or option, port 0), XTC_E_RANGE (port out
 * of range), XTC_E_IO (address in use or not here), XTC_E_NOSYS (family not available),
 * XTC_E_RESOURCE (no descriptors left). */
XTC_API int xtc_net_listen(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd);

/* Begins to connect and returns before that is done: wait for XTC_IO_WRITABLE. opts may be
 * NULL. Any thread.
 * Errors: XTC_E_INVAL (NULL host or out, unknown family, bad host or option, port 0), XTC_E_RANGE
 * (port out of range), XTC_E_IO (refused at once, or no route), XTC_E_NOSYS (family not available),
 * XTC_E_RESOURCE (no descriptors or ports left). */
XTC_API int xtc_net_dial(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd);

/* Takes one waiting connection. Any thread; never waits.
 * Errors: XTC_E_AGAIN (none is waiting), XTC_E_INVAL (NULL, or not a listening socket),
 * XTC_E_RESOURCE (no descriptors left), XTC_E_IO (the network failed). */
XTC_API int xtc_net_accept(int lfd, int* out_fd);

/* Sets the options on a socket. Any thread.
 * Errors: XTC_E_INVAL (NULL, a bad descriptor, or a value the system does not take). */
XTC_API int xtc_net_apply_tcp_opts(int fd, const xtc_tcp_opts_t* opts);

/* Makes any descriptor non-blocking. Any thread.
 * Errors: XTC_E_INVAL (a bad descriptor). */
XTC_API int xtc_net_setnonblock(int fd);

/* Closes a descriptor; waits of fibers on it, on any loop, end with XTC_E_ABORTED first. A
 * negative one does nothing. Any thread. */
XTC_API void xtc_net_close(int fd);

/* Reads what is there, at most len bytes, waiting for the first. End of stream is XTC_OK and 0
 * bytes. buf must stay valid until the call returns, and a kill waits for that. Fibers only.
 * Errors: XTC_E_AGAIN (timeout; nothing was taken), XTC_E_INVAL (not on a fiber, NULL, or a
 * descriptor that cannot be read or has a reader), XTC_E_IO (the connection failed), XTC_E_ABORTED
 * (closed by xtc_net_close), XTC_E_RESOURCE (the kernel's limit). */
XTC_API int xtc_net_read(int fd, void* buf, size_t len, int64_t timeout_ns, size_t* out_n);

/* Writes all len bytes, or fails; out_n says in both cases how many went out and may be NULL. Fibers
 * only.
 * Errors: XTC_E_AGAIN (timeout), XTC_E_INVAL (not on a fiber, NULL, or a descriptor that cannot
 * be written or has a writer), XTC_E_IO (the connection failed), XTC_E_ABORTED (closed by
 * xtc_net_close), XTC_E_RESOURCE (the kernel's limit). */
XTC_API int xtc_net_write(int fd, const void* buf, size_t len, int64_t timeout_ns, size_t* out_n);

/* Takes one connection, waiting for it. Fibers only.
 * Errors: XTC_E_AGAIN (timeout), XTC_E_INVAL (not on a fiber, NULL, or not a listening socket),
 * XTC_E_RESOURCE (no descriptors left), XTC_E_IO (the network failed), XTC_E_ABORTED (closed by
 * xtc_net_close). */
XTC_API int xtc_net_accept_wait(int lfd, int64_t timeout_ns, int* out_fd);

/* Connects and waits until that is done. opts may be NULL. Fibers only.
 * Errors: XTC_E_AGAIN (timeout), XTC_E_INVAL (not on a fiber, NULL host or out, unknown family, bad
 * host or option, port 0), XTC_E_IO (refused or unreachable), XTC_E_NOSYS (family not available),
 * XTC_E_RESOURCE (no descriptors or ports left). */
XTC_API int xtc_net_connect(int fam, const char* host, uint16_t port, const xtc_tcp_opts_t* opts,
                            int64_t timeout_ns, int* out_fd);

/* Listens on a port the system picks and says which. opts and host may be NULL. Any thread;
 * never waits.
 * Errors: XTC_E_INVAL (NULL out, unknown family, bad host or option), XTC_E_IO (address not here),
 * XTC_E_NOSYS (family not available), XTC_E_RESOURCE (no descriptors left). */
XTC_API int xtc_net_listen_any(int fam, const char* host, const xtc_tcp_opts_t* opts, int* out_fd,
                               uint16_t* out_port);

XTC_END_DECLS

#endif /* XTC_NET_H */
