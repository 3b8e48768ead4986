/* SPDX-License-Identifier: ISC */
/*
 * nrt_status.h - what every call of the Neuron runtime facade answers. Manual: nrt(7).
 *
 * Conventions of all headers beside this one:
 *   - NRT_SUCCESS is 0; any other status changed nothing and wrote no out-parameter, unless the
 *     call's comment says otherwise;
 *   - "gated" calls work between nrt_init and nrt_close only: before, they answer
 *     NRT_UNINITIALIZED, after it NRT_CLOSED, in a child of fork NRT_FAILURE;
 *   - a call that waits parks the fiber it is made on and blocks a plain thread; on a loop's
 *     thread outside a fiber it answers NRT_INVALID.
 */
#ifndef NRT_STATUS_H
#define NRT_STATUS_H

#if defined(__GNUC__) || defined(__clang__)
#define NRT_API __attribute__((visibility("default")))
#else
#define NRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NRT_SUCCESS = 0,
    NRT_FAILURE = 1,                        /* nothing more precise is known */
    NRT_INVALID = 2,                        /* a bad model package, argument, name or size */
    NRT_INVALID_HANDLE = 3,                 /* not a handle, or not any more */
    NRT_RESOURCE = 4,                       /* memory, threads or descriptors ran out */
    NRT_TIMEOUT = 5,                        /* not done within the time allowed */
    NRT_HW_ERROR = 6,                       /* the device failed */
    NRT_QUEUE_FULL = 7,                     /* the unit takes no more requests now */
    NRT_LOAD_NOT_ENOUGH_NC = 9,             /* the model wants more cores than there are */
    NRT_UNSUPPORTED_NEFF_VERSION = 10,      /* this device can not run such a file */
    NRT_FAIL_HOST_MEM_ALLOC = 11,           /* not used any more */
    NRT_UNINITIALIZED = 13,                 /* before nrt_init */
    NRT_CLOSED = 14,                        /* after nrt_close */
    NRT_QUEUE_EMPTY = 15,                   /* there is nothing in the queue */
    NRT_EXEC_UNIT_UNRECOVERABLE = 101,      /* a fatal fault ended the unit; nrt_close and nrt_init heal it */
    NRT_EXEC_BAD_INPUT = 1002,              /* the model does not take such input */
    NRT_EXEC_COMPLETED_WITH_NUM_ERR = 1003, /* done, with NaN in the output */
    NRT_EXEC_COMPLETED_WITH_ERR = 1004,     /* done, with another error */
    NRT_EXEC_NC_BUSY = 1005,                /* somebody else has the core */
    NRT_EXEC_OOB = 1006,                    /* an indirect access out of bounds */
    NRT_COLL_PENDING = 1100,                /* the collective goes on: ask again */
    NRT_EXEC_HW_ERR_COLLECTIVES = 1200,     /* a collective is stuck */
    NRT_EXEC_HW_ERR_HBM_UE = 1201,          /* device memory failed */
    NRT_EXEC_HW_ERR_NC_UE = 1202,           /* core memory failed */
    NRT_EXEC_HW_ERR_DMA_ABORT = 1203,       /* a transfer was aborted */
    NRT_EXEC_SW_NQ_OVERFLOW = 1204,         /* a notification queue overflowed */
    NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE = 1205, /* device memory failed and can be repaired */
    NRT_NETWORK_PROXY_FAILURE = 1206          /* the network failed */
} NRT_STATUS;

/* The name of a status, for ever valid; "UNKNOWN" for other numbers. Any thread, any state. */
NRT_API const char* nrt_get_status_as_str(NRT_STATUS status);

#ifdef __cplusplus
}
#endif

#endif /* NRT_STATUS_H */
