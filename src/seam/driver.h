/* SPDX-License-Identifier: ISC */
/*
 * Driver: what a loop asks of the kernel. One driver serves one loop. Production has two (io_uring, epoll);
 * the simulator brings a third. Everything but `wake` is called on the loop's thread.
 *
 * An operation is a record of the caller's that must stay where it is until it is done. It is done exactly
 * once: wait() returns it, also when it failed at once and also after a cancel.
 */
#ifndef XTC_SEAM_DRIVER_H
#define XTC_SEAM_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum xtc_op_kind {
    XTC_OP_POLL = 1, /* events: poll(2) bits; res: the bits that came true */
    XTC_OP_RECV,     /* buf, len; res: bytes, 0 at end of file */
    XTC_OP_SEND,     /* buf, len; res: bytes, may be fewer than len; never raises SIGPIPE */
    XTC_OP_ACCEPT,   /* res: the new fd, non-blocking and close-on-exec */
    XTC_OP_CONNECT   /* buf, len: the sockaddr; res: 0 */
} xtc_op_kind_t;

typedef enum xtc_op_state { XTC_OP_IDLE = 0, XTC_OP_IN_FLIGHT, XTC_OP_DONE } xtc_op_state_t;

typedef struct xtc_op {
    /* the caller's, constant while in flight */
    uint8_t kind;
    int fd;
    uint32_t events;
    void *buf;
    size_t len;
    void (*done)(struct xtc_op *op); /* the loop calls it, on its thread, when wait() has returned op */
    void *owner;                     /* for done */
    /* the driver's answer: a result, or -errno. -ECANCELED after a cancel that came in time,
     * -ECONNABORTED after close_fd, -EBADF or -EINVAL for an fd that cannot be waited on (L20). */
    int64_t res;
    /* the loop's */
    uint8_t state;
    uint8_t claims; /* sides of fd that nobody else may hold while it is in flight */
    struct xtc_op *all_prev, *all_next;
    /* the driver's: free use while in flight; `next` links the list that wait() returns */
    struct xtc_op *next, *prev;
    uint64_t priv[2];
} xtc_op_t;

#define XTC_UNTIL_POLL INT64_MIN  /* wait: do not sleep */
#define XTC_UNTIL_NEVER INT64_MAX /* wait: no deadline */

typedef struct xtc_seam_driver {
    size_t size;      /* sizeof of this table */
    const char *name; /* "uring", "epoll", "sim" */
    /* Monotonic nanoseconds. */
    int64_t (*now)(void *self);
    /* Performs op without waiting. 1: done, op->res is set. 0: it would block (or POLL has no bit yet). */
    int (*try_op)(void *self, xtc_op_t *op);
    /* Starts op. POLL: an fd that is no socket, fifo, character device or anonymous inode is -EINVAL, a
     * number that is not open -EBADF; both arrive through wait() like any other result. */
    void (*submit)(void *self, xtc_op_t *op);
    /* Asks that op end soon; it still arrives through wait(), with its result if it was faster. */
    void (*cancel)(void *self, xtc_op_t *op);
    /* Hands all started operations to the kernel, sleeps until something is done, wake() was called or the
     * absolute time `until` has come, and returns the finished operations in order of completion (NULL:
     * none). May return early for no reason. Runs nothing. */
    xtc_op_t *(*wait)(void *self, int64_t until);
    /* Any thread: the wait in progress, or else the next one, returns at once. One system call at most. */
    void (*wake)(void *self);
    /* Every operation in flight on fd ends with -ECONNABORTED (through wait()). */
    void (*abort_fd)(void *self, int fd);
    /* The same, then fd is closed. */
    void (*close_fd)(void *self, int fd);
    /* Takes back what the kernel holds: after it nothing of this driver is in flight in the kernel and no
     * caller's memory is written to; operations that had not finished are started again by the next
     * wait(), possibly on another thread. */
    void (*suspend)(void *self);
    /* An fd that is readable when wait(XTC_UNTIL_POLL) would find something; -1 if there is none. Always the
     * same; asked again before each sleep on it, so that what was started since the last wait is in the
     * kernel. */
    int (*pollfd)(void *self);
    /* No operation is in flight. */
    void (*destroy)(void *self);
} xtc_seam_driver_t;

#ifdef __cplusplus
}
#endif

#endif /* XTC_SEAM_DRIVER_H */
