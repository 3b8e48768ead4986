/* SPDX-License-Identifier: ISC */
/*
 * nrt_version.h - which runtime this is. Manual: nrt_info(3).
 */
#ifndef NRT_VERSION_H
#define NRT_VERSION_H

#include <stddef.h>
#include <stdint.h>

#include "nrt_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RT_VERSION_DETAIL_LEN 128
#define GIT_HASH_LEN 64

typedef struct nrt_version {
    uint64_t rt_major; /* of the Neuron runtime whose interface this is */
    uint64_t rt_minor;
    uint64_t rt_patch;
    uint64_t rt_maintenance;
    char rt_detail[RT_VERSION_DETAIL_LEN]; /* the same, for people */
    char git_hash[GIT_HASH_LEN];           /* here: name and version of this library */
} nrt_version_t;

/* Writes the version: all but git_hash when size has no room for more than 200 bytes, else at most
 * size bytes of the whole. Any thread, any state.
 * Errors: NRT_INVALID (ver is NULL), NRT_FAILURE (size is below 160). */
NRT_API NRT_STATUS nrt_get_version(nrt_version_t* ver, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* NRT_VERSION_H */
