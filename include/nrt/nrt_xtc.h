/* SPDX-License-Identifier: ISC */
/*
 * nrt_xtc.h - what this runtime has beyond the Neuron interface; symbols of node NRT_XTC_1.0.
 * Manual: nrt_init(3).
 */
#ifndef NRT_XTC_H
#define NRT_XTC_H

#include "nrt_status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xtc_exec;

/* The next nrt_init puts its workers on the loops of this executor (xtc_exec.h) and makes no threads of its
 * own for them; NULL goes back to that. The executor should run until nrt_close has returned; on one that
 * does not, nrt_close ends what is queued with NRT_CLOSED. Any thread.
 * Errors: NRT_FAILURE (between nrt_init and nrt_close, or in a child of fork after nrt_init). */
NRT_API NRT_STATUS nrt_xtc_use_exec(struct xtc_exec* exec);

/* Writes every environment variable that this library knows to a descriptor: name, value and meaning. Between
 * nrt_init and nrt_close the values are those of nrt_init. Returns NRT_SUCCESS or an error as int. Any
 * thread, any state.
 * Errors: NRT_INVALID (not an open descriptor), NRT_FAILURE (the write failed), NRT_RESOURCE. */
NRT_API int nrt_xtc_print_env(int fd);

#ifdef __cplusplus
}
#endif

#endif /* NRT_XTC_H */
