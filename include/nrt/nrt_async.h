/* SPDX-License-Identifier: ISC */
/*
 * nrt_async.h - names of the execution units of explicit asynchronous requests. Manual: nrt(7).
 */
#ifndef NRT_ASYNC_H
#define NRT_ASYNC_H

#include <stdint.h>

#include "nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NRTA_XU_TENSOR_OP = 0,   /* two queues on each core */
    NRTA_XU_COMPUTE = 1,     /* one */
    NRTA_XU_COLLECTIVES = 2, /* three */
    NRTA_XU_TYPE_NUM = 3
} nrta_xu_t;

/* Names one request: its unit in the high 16 bits, its number on that unit in the low 48. Numbers of one unit
 * are consecutive and begin with 1; number 0 means that nothing is done yet. */
typedef uint64_t nrta_seq_t;
typedef uint16_t nrta_xu_id_t;

#define NRTA_SEQ_NUM_MAX ((1ull << 48) - 1)
#define NRTA_SEQ_GET_SEQ_NUM(seq) ((seq)&NRTA_SEQ_NUM_MAX)
#define NRTA_SEQ_GET_XU_ID(seq) ((nrta_xu_id_t)((seq) >> 48))

#ifdef __cplusplus
}
#endif

#endif /* NRT_ASYNC_H */
