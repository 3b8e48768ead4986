/* SPDX-License-Identifier: ISC */
/*
 * What a native CPU model package is called with.
 *
 * The library of a package has one entry, named by "entry" in model.json:
 *
 *     #include "nrt/nrt_xtc_model.h"
 *
 *     __attribute__((visibility("default"))) int twice(const nrt_xtc_model_call_t* call) {
 *         const float* x = call->in[0].data;
 *         float* y = call->out[0].data;
 *         for (size_t i = 0; i < call->out[0].bytes / sizeof(float); ++i) y[i] = 2 * x[i];
 *         return 0;
 *     }
 *
 * built with `cc -shared -fPIC -fvisibility=hidden`, for C++ also with -fno-gnu-unique: what the linker keeps
 * unique in a process is shared by loads that should have nothing in common.
 *
 * The entry returns 0; another NRT_STATUS is the status of the execution; any other number becomes
 * NRT_EXEC_COMPLETED_WITH_ERR. It must not let a C++ exception out, and must not return while a thread of
 * its own still uses what the call points to. It may call the runtime, but what would have to wait for queued
 * requests is refused there, as in a completion callback: nrt_execute(3).
 *
 * Each load of a package has a library of its own, so its static variables belong to that load. The calls of
 * a load come one at a time, not always on the same thread.
 */
#ifndef NRT_XTC_MODEL_H
#define NRT_XTC_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NRT_XTC_MODEL_CALL_VERSION 1u

/* Bytes of scratch memory of a loaded model. */
#define NRT_XTC_MODEL_SCRATCH_BYTES ((size_t)1 << 20)

/* name and bytes as model.json has them, in its order; data is never NULL. Inputs are only read. */
typedef struct nrt_xtc_model_in {
    const char* name;
    const void* data;
    size_t bytes;
} nrt_xtc_model_in_t;

typedef struct nrt_xtc_model_out {
    const char* name;
    void* data;
    size_t bytes;
} nrt_xtc_model_out_t;

typedef struct nrt_xtc_model_call nrt_xtc_model_call_t;

/* Finds another file of the package by its name: 0 and where it lies, at a multiple of 64, until the model is
 * unloaded; 1 when there is none, and the out-parameters are untouched. */
typedef int (*nrt_xtc_model_file_fn)(const nrt_xtc_model_call_t* call, const char* name, const void** data,
                                     size_t* bytes);

/* A later version only adds members at the end; `size` tells which are there. */
struct nrt_xtc_model_call {
    size_t size;
    uint32_t version; /* NRT_XTC_MODEL_CALL_VERSION of the caller */
    uint32_t n_in;
    const nrt_xtc_model_in_t* in;
    uint32_t n_out;
    uint32_t rank; /* of this core among the `world` cores that run the model together; 0 of 1 alone */
    const nrt_xtc_model_out_t* out;
    uint32_t world;
    uint32_t reserved; /* 0 */
    nrt_xtc_model_file_fn file;
    /* Memory of this load, at a multiple of 64: zeros at its first call, then what the last call left. */
    void* scratch;
    size_t scratch_bytes;
    void* runtime; /* the caller's own */
};

/* The type of an entry. */
typedef int (*nrt_xtc_model_entry_fn)(const nrt_xtc_model_call_t* call);

#ifdef __cplusplus
}
#endif

#endif
