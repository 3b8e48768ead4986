/* SPDX-License-Identifier: ISC */
#ifndef XTC_H
#define XTC_H
#include <stddef.h>
#include <stdint.h>
#include "xtc_export.h"
#define XTC_VERSION_MAJOR 0
#define XTC_VERSION_MINOR 1
#define XTC_VERSION_PATCH 0
#define XTC_VERSION_STRING "0.1.0"
typedef enum xtc_err {
    XTC_OK = 0, XTC_E_INVAL = -1, XTC_E_NOMEM = -2, XTC_E_NOSYS = -3, XTC_E_RANGE = -4, XTC_E_AGAIN = -5,
    XTC_E_INTERNAL = -6, XTC_E_RESOURCE = -7, XTC_E_DEADLK = -8, XTC_E_VERSION = -9, XTC_E_ABORTED = -10,
    XTC_E_NOTFOUND = -11, XTC_E_IO = -12
} xtc_err_t;
XTC_BEGIN_DECLS
XTC_API const char *xtc_strerror(int code);
XTC_API const char *xtc_version_string(void);
XTC_API int xtc_version_components(int *major, int *minor, int *patch);
XTC_API void *xtc_malloc(size_t size);
XTC_API void *xtc_calloc(size_t count, size_t size);
XTC_API void *xtc_realloc(void *ptr, size_t size);
XTC_API void xtc_free(void *ptr);
XTC_API void *xtc_aligned_alloc(size_t align, size_t size);
XTC_API void xtc_aligned_free(void *ptr);
XTC_API int64_t xtc_clock_mono(void);
XTC_API int64_t xtc_clock_real(void);
XTC_API int xtc_sleep_ns(int64_t ns);
XTC_API int64_t xtc_atomic_i64_load(const int64_t *value);
XTC_API int64_t xtc_atomic_i64_add(int64_t *value, int64_t delta);
XTC_API const char *xtc_env_get(const char *name);
XTC_API int xtc_env_set(const char *name, const char *value, int overwrite);
XTC_API uint64_t xtc_rand_u64(void);
XTC_API void xtc_rand_seed(uint64_t seed);
XTC_API size_t xtc_strlcpy(char *dst, const char *src, size_t cap);
XTC_API size_t xtc_strlcat(char *dst, const char *src, size_t cap);
XTC_API int xtc_ncpus(void);
XTC_API int xtc_numa_nnodes(void);
XTC_API int xtc_numa_node_of_cpu(int cpu);
XTC_API int xtc_numa_current_node(void);
XTC_END_DECLS
#endif
