/* SPDX-License-Identifier: ISC */
/*
 * xtc.h - error codes, versions, and the small helpers the library itself uses and a
 * host may share: memory, clocks, environment, random numbers, strings, processors.
 * No loop is needed to call them. Manual: xtc(3); the idea of the whole: xtc(7).
 */
#ifndef XTC_H
#define XTC_H

#include <stddef.h>
#include <stdint.h>

#include "xtc_export.h"

XTC_BEGIN_DECLS

#define XTC_VERSION_MAJOR 0
#define XTC_VERSION_MINOR 1
#define XTC_VERSION_PATCH 0
#define XTC_VERSION_STRING "0.1.0"

/* What every int-returning call answers. Numbers never change; new ones are appended.
 * xtc_errors(7) says for each what usually causes it and what to do. */
typedef enum xtc_err {
    XTC_OK = 0,
    XTC_E_INVAL = -1,     /* bad argument, stale handle, or called from the wrong place */
    XTC_E_NOMEM = -2,     /* an allocation failed */
    XTC_E_NOSYS = -3,     /* not in this build, or the kernel lacks it */
    XTC_E_RANGE = -4,     /* a number is out of range or would overflow */
    XTC_E_AGAIN = -5,     /* timeout, would block, or full: try later */
    XTC_E_INTERNAL = -6,  /* an invariant broke, or the platform failed */
    XTC_E_RESOURCE = -7,  /* a resource cap or a fixed limit was reached */
    XTC_E_DEADLK = -8,    /* waiting, or changing this, here could never end */
    XTC_E_VERSION = -9,   /* the struct's version is not known */
    XTC_E_ABORTED = -10,  /* cancelled, or the other side gave up */
    XTC_E_NOTFOUND = -11, /* no such thing */
    XTC_E_IO = -12        /* reading, writing or connecting failed */
} xtc_err_t;

/* A sentence for an error code, "unknown" for any other number. Any thread; never NULL;
 * static storage. */
XTC_API const char* xtc_strerror(int code);

/* The version of the library that is loaded, as SemVer 2.0 text; compare with
 * XTC_VERSION_STRING, the version of the headers. Any thread; static storage. */
XTC_API const char* xtc_version_string(void);

/* The same as three numbers. Any thread.
 * Errors: XTC_E_INVAL (a NULL pointer; nothing is written). */
XTC_API int xtc_version_components(int* major, int* minor, int* patch);

/* Memory. Whatever the library hands out for you to free (received messages, for one) is
 * freed with xtc_free and with nothing else. Any thread. Sizes are bytes; size 0 gives a
 * unique pointer that can be freed; NULL when there is no memory or the size overflows. */
XTC_API void* xtc_malloc(size_t size);
XTC_API void* xtc_calloc(size_t count, size_t size);
/* On failure NULL, and the old block is untouched. */
XTC_API void* xtc_realloc(void* ptr, size_t size);
/* NULL is allowed. */
XTC_API void xtc_free(void* ptr);

/* Memory at a multiple of align, which must be a power of two; NULL when it is not, when the
 * rounded size overflows, or when there is no memory. Any thread. Free with
 * xtc_aligned_free only. */
XTC_API void* xtc_aligned_alloc(size_t align, size_t size);
/* Frees what xtc_aligned_alloc gave; NULL is allowed. Any thread. */
XTC_API void xtc_aligned_free(void* ptr);

/* Nanoseconds: monotonic since some start, and since the Unix epoch. Any thread. In a
 * simulation both are the simulation's clock. */
XTC_API int64_t xtc_clock_mono(void);
XTC_API int64_t xtc_clock_real(void);

/* Blocks the calling OS thread, and every fiber with it, for at least ns nanoseconds. For plain
 * threads; a process uses xtc_proc_sleep.
 * Errors: XTC_E_INVAL (ns is negative), XTC_E_DEADLK (inside a simulation, whose clock would
 * stand still), XTC_E_INTERNAL (the kernel refused). */
XTC_API int xtc_sleep_ns(int64_t ns);

/* A sequentially consistent load; an add that returns the value before. Any thread. The
 * pointer must be aligned to 8 bytes. */
XTC_API int64_t xtc_atomic_i64_load(const int64_t* ptr);
XTC_API int64_t xtc_atomic_i64_add(int64_t* ptr, int64_t delta);

/* The environment, serialized against xtc_env_set. Any thread. The text is a copy in a
 * buffer of the calling thread, good until its next xtc_env_get, and cut at 1023 bytes. NULL
 * when unset or name is NULL. */
XTC_API const char* xtc_env_get(const char* name);
/* Sets a variable; leaves a present one alone when overwrite is 0. Any thread.
 * Errors: XTC_E_INVAL (NULL, an empty name, or one with '='), XTC_E_NOMEM. */
XTC_API int xtc_env_set(const char* name, const char* value, int overwrite);

/* A 64-bit random number, fast and not for secrets; each thread has its own sequence. In a
 * simulation the numbers come from the seed. Any thread. */
XTC_API uint64_t xtc_rand_u64(void);
/* Restarts the calling thread's sequence. */
XTC_API void xtc_rand_seed(uint64_t seed);

/* BSD's strlcpy and strlcat: cap is the size of the whole destination, the result always
 * ends in NUL when cap is not 0, and the return value is the length that was wanted; at or
 * above cap means cut. Any thread. */
XTC_API size_t xtc_strlcpy(char* dst, const char* src, size_t cap);
XTC_API size_t xtc_strlcat(char* dst, const char* src, size_t cap);

/* Processors this process may run on, at least 1; NUMA nodes, at least 1; the node of a
 * processor (0 when unknown or out of range); the node of the processor the caller runs on
 * now. Any thread. */
XTC_API int xtc_ncpus(void);
XTC_API int xtc_numa_nnodes(void);
XTC_API int xtc_numa_node_of_cpu(int cpu);
XTC_API int xtc_numa_current_node(void);

XTC_END_DECLS

#endif /* XTC_H */
