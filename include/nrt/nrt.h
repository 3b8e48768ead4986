/* SPDX-License-Identifier: ISC */
/*
 * nrt.h - the runtime's life, its cores, tensors, tensor sets, models and their execution. Manual: nrt(7),
 * nrt_init(3), nrt_info(3), nrt_tensor(3), nrt_tensor_set(3), nrt_model(3), nrt_execute(3). What "gated"
 * means is in nrt_status.h.
 */
#ifndef NRT_H
#define NRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt_status.h"
#include "nrt_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NRT_MAJOR_VERSION 2
#define NRT_MINOR_VERSION 0

typedef struct nrt_model nrt_model_t;
typedef struct nrt_tensor nrt_tensor_t;
typedef struct nrt_cc_context nrt_cc_context_t;
typedef void nrt_tensor_set_t;

typedef enum {
    NRT_FRAMEWORK_TYPE_INVALID = 0,
    NRT_FRAMEWORK_TYPE_NO_FW = 1,
    NRT_FRAMEWORK_TYPE_TENSORFLOW = 2,
    NRT_FRAMEWORK_TYPE_PYTORCH = 3,
    NRT_FRAMEWORK_TYPE_MXNET = 4,
    NRT_FRAMEWORK_TYPE_PRECHECK = 5
} nrt_framework_type_t;

typedef enum {
    NRT_TENSOR_PLACEMENT_DEVICE = 0,
    NRT_TENSOR_PLACEMENT_HOST = 1,
    NRT_TENSOR_PLACEMENT_VIRTUAL = 2
} nrt_tensor_placement_t;

typedef enum { NRT_TENSOR_USAGE_INPUT = 0, NRT_TENSOR_USAGE_OUTPUT = 1 } nrt_tensor_usage_t;

typedef enum {
    NRT_DTYPE_UNKNOWN = 0,
    NRT_DTYPE_INVALID = 0,
    NRT_DTYPE_UINT64 = 1,
    NRT_DTYPE_INT8 = 2,
    NRT_DTYPE_UINT8 = 3,
    NRT_DTYPE_INT16 = 4,
    NRT_DTYPE_UINT16 = 5,
    NRT_DTYPE_BFLOAT16 = 6,
    NRT_DTYPE_FLOAT16 = 7,
    NRT_DTYPE_INT32 = 8,
    NRT_DTYPE_UINT32 = 9,
    NRT_DTYPE_FLOAT32 = 10,
    NRT_DTYPE_FP32R = 11,
    NRT_DTYPE_INT64 = 12,
    NRT_DTYPE_FP8_E3 = 13,
    NRT_DTYPE_FP8_E4 = 14,
    NRT_DTYPE_FP8_E5 = 15
} nrt_dtype_t;

typedef enum {
    NRT_OP_ADD = 0,
    NRT_OP_FMA = 1,
    NRT_OP_MAX = 2,
    NRT_OP_MIN = 3,
    NRT_OP_INVALID = 15
} nrt_op_type_t;

typedef enum { NRT_CC_ALLGATHER = 0, NRT_CC_ALLREDUCE = 1, NRT_CC_REDUCESCATTER = 2 } nrt_cc_op_type_t;

enum {
    NRT_INSTANCE_UNKNOWN = 0,
    NRT_INSTANCE_INF1 = 1,
    NRT_INSTANCE_TRN1 = 2,
    NRT_INSTANCE_TRN1N = 3,
    NRT_INSTANCE_INF2 = 4,
    NRT_INSTANCE_TRN2 = 5,
    NRT_INSTANCE_TRN2N = 6,
    NRT_INSTANCE_INF2E = 7,
    NRT_INSTANCE_TRN2P = 8,
    NRT_INSTANCE_TRN2U = 9,
    NRT_INSTANCE_TRN2E = 10,
    NRT_INSTANCE_TRN2EU = 11,
    NRT_INSTANCE_TRN2AC = 12,
    NRT_INSTANCE_TRN2UAC = 13,
    NRT_INSTANCE_TRN3 = 14,
    NRT_INSTANCE_TRN3PDS98 = 15
};

enum {
    NRT_INSTANCE_SIZE_1XL = 0,
    NRT_INSTANCE_SIZE_2XL = 1,
    NRT_INSTANCE_SIZE_4XL = 2,
    NRT_INSTANCE_SIZE_6XL = 3,
    NRT_INSTANCE_SIZE_8XL = 4,
    NRT_INSTANCE_SIZE_24XL = 5,
    NRT_INSTANCE_SIZE_32XL = 6,
    NRT_INSTANCE_SIZE_48XL = 7,
    NRT_INSTANCE_SIZE_3XL = 8,
    NRT_INSTANCE_SIZE_UNKNOWN = 9
};

typedef struct nrt_instance_info {
    uint32_t family; /* NRT_INSTANCE_* */
    uint32_t size;   /* NRT_INSTANCE_SIZE_* */
    char arch_name[16];
    char device_revision[8];
} nrt_instance_info_t;

typedef struct nrt_vnc_memory_stats {
    size_t bytes_used;
    size_t bytes_limit;
} nrt_vnc_memory_stats_t;

typedef struct nrt_tensor_list {
    nrt_tensor_t** tensors;
    size_t num_tensors;
} nrt_tensor_list_t;

typedef struct nrt_cc_comm {
    uint32_t* replica_group;
    uint32_t rank;
    uint32_t rank_n;
    uint32_t ctx_device_id;
    uint32_t ctx_device_count;
    uint32_t vnc;
} nrt_cc_comm_t;

typedef struct nrt_tensor_batch_op {
    uint64_t offset;
    uint64_t size;
    void* buffer;
} nrt_tensor_batch_op_t;

typedef struct nrt_tensor_batch {
    const nrt_tensor_t* tensor;
    const nrt_tensor_batch_op_t* ops;
    uint32_t num_ops;
} nrt_tensor_batch_t;

typedef struct nrt_tensor_device_allocation_info {
    uint64_t physical_address; /* here: the address in this process */
    size_t size;               /* of the allocation; a slice is a part of one */
    int hbm_index;
} nrt_tensor_device_allocation_info_t;

/* ---- The runtime's life: nrt_init(3) ---- */

/* Reads the environment, finds the cores and starts the loops that work for them. A second call without an
 * nrt_close between does nothing. Both versions are for the log and may be NULL. May be called again after
 * nrt_close. A plain thread or a fiber.
 * Errors: NRT_INVALID (an unknown framework, a malformed variable, or on a loop's thread outside a fiber),
 * NRT_FAILURE (a core that was asked for is not there, or in a child of fork), NRT_CLOSED (nrt_close is at
 * work), NRT_RESOURCE (no memory, thread or descriptor left). */
NRT_API NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* fw_version, const char* fal_version);

/* Ends it: gated calls that are under way finish, later ones answer NRT_CLOSED; the threads are joined. After
 * it nothing writes to the caller's memory any more. Tensors and sets stay the caller's to free. Does nothing
 * before nrt_init, after another nrt_close and in a child of fork. A plain thread or a fiber, but not one of
 * the runtime's own loops, nor in a completion callback or the code of a package. */
NRT_API void nrt_close(void);

/* ---- Cores and the device: nrt_info(3) ---- */

/* How many logical cores there are, whichever of them this process uses. The two are one. Any thread, any
 * state.
 * Errors: NRT_INVALID (NULL, or a malformed variable). */
NRT_API NRT_STATUS nrt_get_total_vnc_count(uint32_t* vnc_count);
NRT_API NRT_STATUS nrt_get_total_nc_count(uint32_t* nc_count);

/* How many of them this process uses, or would use after nrt_init. The two are one. Any thread, any state.
 * Errors: NRT_INVALID (NULL, or a malformed variable), NRT_FAILURE (a core that is asked for is not there).
 */
NRT_API NRT_STATUS nrt_get_visible_vnc_count(uint32_t* vnc_count);
NRT_API NRT_STATUS nrt_get_visible_nc_count(uint32_t* nc_count);

/* Writes at most info_size bytes of what kind of machine this is: unknown to Neuron, architecture "cpu". Any
 * thread, any state.
 * Errors: NRT_INVALID (NULL, or info_size 0). */
NRT_API NRT_STATUS nrt_get_instance_info(nrt_instance_info_t* info, size_t info_size);

/* Writes at most size_in bytes of the memory statistics of a core, and to size_out how many that were: the
 * bytes of the device tensors allocated there, and what the machine has. size_out may be NULL. Gated. Any
 * thread.
 * Errors: NRT_INVALID (stats is NULL, size_in 0, or no such core). */
NRT_API NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t* stats, size_t size_in,
                                            size_t* size_out);

/* What the CPU device does not have: a network card beside an address, a dma-buf of its memory, a mapping of
 * its memory as a whole. Gated; fail always. Any thread.
 * Errors: NRT_INVALID. */
NRT_API NRT_STATUS nrt_get_attached_efa_bdf(const void* va, char* efa_bdf, size_t* len);
NRT_API NRT_STATUS nrt_get_dmabuf_fd(uint64_t va, uint64_t size, int* fd);
NRT_API NRT_STATUS nrt_get_hbm_mmap_va(int device_id, int hbm_idx, void** addr, size_t* size);

/* ---- Tensors: nrt_tensor(3) ---- */

/* Makes a tensor of size bytes, on a core's device or on the host (where vnc is ignored). What it holds is
 * not defined. Memory is taken from the system when it is touched. The name is copied and may be NULL. Gated.
 * Any thread. Errors: NRT_INVALID (NULL tensor, size 0, another placement, no such core), NRT_RESOURCE (no
 * memory). */
NRT_API NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t placement, int vnc, size_t size,
                                       const char* name, nrt_tensor_t** tensor);

/* Makes a tensor without memory, for nrt_tensor_attach_buffer. Gated. Any thread.
 * Errors: NRT_INVALID (NULL tensor), NRT_RESOURCE (no memory). */
NRT_API NRT_STATUS nrt_tensor_allocate_empty(const char* name, nrt_tensor_t** tensor);

/* Makes buffer the memory of the tensor, which is a host tensor from now on; what it had is let go. The
 * buffer stays the caller's and must live until the tensor, slices and queued requests have let it go. Gated.
 * Any thread. Errors: NRT_INVALID (NULL, or size 0), NRT_RESOURCE (no memory). */
NRT_API NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t* tensor, void* buffer, size_t size);

/* Makes a tensor of size bytes at offset of another one, sharing its memory, which lives until the last of
 * them is freed. Gated. Any thread.
 * Errors: NRT_INVALID (NULL, size 0, outside the source, or the source has no memory), NRT_RESOURCE (no
 * memory). */
NRT_API NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t* tensor_source, size_t offset, size_t size,
                                             const char* name, nrt_tensor_t** tensor_slice);

/* Gives the tensor up and sets *tensor to NULL. Its memory goes when no slice, set or queued request has it
 * any more. NULL, or a pointer to NULL, does nothing. Any thread, any state. */
NRT_API void nrt_tensor_free(nrt_tensor_t** tensor);

/* Copy bytes out of, or into, a tensor, after queued requests that write to it (or, for write, use it at all)
 * are done. A size of 0 copies nothing. Gated. A plain thread or a fiber.
 * Errors: NRT_INVALID (NULL, outside the tensor, no memory, or on a loop's thread outside a fiber while it
 * would have to wait), NRT_FAILURE (it would have to wait in a completion callback or the entry of a package,
 * or to block a simulation), NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_tensor_read(const nrt_tensor_t* tensor, void* buf, size_t offset, size_t size);
NRT_API NRT_STATUS nrt_tensor_write(nrt_tensor_t* tensor, const void* buf, size_t offset, size_t size);

/* Many reads, or writes, of num_batches tensors at once. Everything is checked, and waited for, before
 * anything is copied. With unsafe they do not wait for queued requests. Gated. A plain thread or a fiber.
 * Errors: those of nrt_tensor_read: NRT_INVALID, NRT_FAILURE, NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                         bool unsafe);
NRT_API NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                          bool unsafe);

/* Copies size bytes from one tensor to another, or within one, where ranges may overlap. Waits as a read of
 * src and a write of dst. Gated. A plain thread or a fiber.
 * Errors: those of nrt_tensor_read: NRT_INVALID, NRT_FAILURE, NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_tensor_copy(const nrt_tensor_t* src, size_t src_offset, nrt_tensor_t* dst,
                                   size_t dst_offset, size_t size);

/* Sets size bytes at offset to value, of which the low eight bits count. Waits as a write. Gated. A plain
 * thread or a fiber.
 * Errors: those of nrt_tensor_write: NRT_INVALID, NRT_FAILURE, NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_tensor_memset(nrt_tensor_t* tensor, uint64_t offset, int value, size_t size);

/* Bytes of the tensor; 0 for NULL and without memory. Any thread, any state. */
NRT_API size_t nrt_tensor_get_size(const nrt_tensor_t* tensor);

/* The tensor's first byte in this process's memory; NULL for NULL, without memory, and while the runtime is
 * not initialised. Any thread. */
NRT_API void* nrt_tensor_get_va(const nrt_tensor_t* tensor);

/* Copies size bytes to an address that nrt_tensor_get_va gave. Any thread, any state.
 * Errors: NRT_INVALID (NULL and size not 0). */
NRT_API NRT_STATUS nrt_memcpy_to_device(void* dest, const void* src, size_t size);

/* Where a device tensor's memory is. Gated. Any thread.
 * Errors: NRT_INVALID (NULL, or not a device tensor). */
NRT_API NRT_STATUS nrt_tensor_get_device_allocation_info(const nrt_tensor_t* tensor,
                                                         nrt_tensor_device_allocation_info_t* alloc_info);

/* Waits until that many executions have written the tensor since the last reset, at most timeout
 * microseconds, for ever when negative. Any state. A plain thread or a fiber. Errors: NRT_INVALID (NULL, or
 * on a loop's thread outside a fiber while it would have to wait), NRT_TIMEOUT, NRT_FAILURE (it would have to
 * wait in a completion callback, in the entry of a package or in a child of fork, or to block a simulation),
 * NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t* output_tensor, int64_t timeout,
                                                      uint64_t expected_completion_count);

/* Sets that count to 0. Any thread, any state.
 * Errors: NRT_INVALID (NULL). */
NRT_API NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t* output_tensor);

/* ---- Tensor sets: nrt_tensor_set(3) ---- */

/* Makes an empty set: tensors by name. Gated. Any thread.
 * Errors: NRT_INVALID (NULL), NRT_RESOURCE (no memory). */
NRT_API NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t** result);

/* Gives the set up and sets *tensor_set to NULL. It goes, and lets its tensors go, when no queued request has
 * it any more. NULL, or a pointer to NULL, does nothing. Any thread, any state. */
NRT_API void nrt_destroy_tensor_set(nrt_tensor_set_t** tensor_set);

/* Puts a tensor in under a name, which is copied; one that had it leaves. The tensor lives on in the set when
 * it is freed. Gated. Any thread.
 * Errors: NRT_INVALID (NULL), NRT_RESOURCE (no memory). */
NRT_API NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                                nrt_tensor_t* tensor);

/* Writes the tensor of that name, borrowed: it is valid as long as the set has it, or it is not freed. Gated.
 * Any thread.
 * Errors: NRT_INVALID (NULL), NRT_FAILURE (no such name). */
NRT_API NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                                  nrt_tensor_t** tensor);

/* ---- Models: nrt_model(3) ---- */

typedef struct nrt_tensor_info {
    char name[256];
    nrt_tensor_usage_t usage;
    size_t size; /* bytes */
    nrt_dtype_t dtype;
    uint32_t* shape; /* ndim numbers */
    uint32_t ndim;
} nrt_tensor_info_t;

/* The last member has room for tensor_count of them. Its 1 is no macro: compilers take a written one for what
 * it means, and warn where that has a name. */
typedef struct nrt_tensor_info_array {
    uint64_t tensor_count;
#ifdef __cplusplus
    nrt_tensor_info_t tensor_array[1];
#else
    nrt_tensor_info_t tensor_array[];
#endif
} nrt_tensor_info_array_t;

typedef struct nrt_model_info {
    uint32_t vnc;
} nrt_model_info_t;

/* Makes a model of a CPU model package of size bytes, which are not needed any more afterwards, and puts it
 * on core vnc, or for -1 on the one with the fewest models. vnc_count is -1 or 1. Loading a native package
 * runs its code. Gated. A plain thread or a fiber.
 * Errors: NRT_INVALID (NULL, no such core, a package that is not well formed or is refused, or on a loop's
 * thread outside a fiber), NRT_UNSUPPORTED_NEFF_VERSION (a NEFF, whose instructions only the device has),
 * NRT_LOAD_NOT_ENOUGH_NC (vnc_count above the number of cores), NRT_RESOURCE (no memory, or 4096 models). */
NRT_API NRT_STATUS nrt_load(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                            nrt_model_t** model);

/* The same for a model that runs together with those of other devices: this is ctx_device_id of
 * ctx_device_count, of which 0 of 1 is the only one so far. Gated. A plain thread or a fiber.
 * Errors: those of nrt_load: NRT_INVALID (also for another world), NRT_UNSUPPORTED_NEFF_VERSION,
 * NRT_LOAD_NOT_ENOUGH_NC, NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_load_collectives(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                                        uint32_t ctx_device_id, uint32_t ctx_device_count,
                                        nrt_model_t** model);

/* Gives a model up, waits for what was queued with it, and frees it. Gated. A plain thread or a fiber; not in
 * a completion callback or the entry of a package.
 * Errors: NRT_INVALID (NULL, or on a loop's thread outside a fiber), NRT_INVALID_HANDLE (no model),
 * NRT_FAILURE (in such a callback, or where a thread may not block), NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_unload(nrt_model_t* model);

/* Makes an array of what the model's inputs and then its outputs are. It is the caller's, to be freed with
 * nrt_free_model_tensor_info. Gated. Any thread.
 * Errors: NRT_INVALID (NULL), NRT_INVALID_HANDLE (no model), NRT_RESOURCE (no memory). */
NRT_API NRT_STATUS nrt_get_model_tensor_info(nrt_model_t* model, nrt_tensor_info_array_t** tensor_info);

/* Frees it. NULL does nothing. Any thread, any state. Errors: none; returns NRT_SUCCESS. */
NRT_API NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t* tensor_info);

/* How many copies of the model are loaded, and on how many cores it runs: 1. The two counts of cores are one.
 * Gated. Any thread.
 * Errors: NRT_INVALID (NULL), NRT_INVALID_HANDLE (no model). */
NRT_API NRT_STATUS nrt_get_model_instance_count(nrt_model_t* model, uint32_t* instance_count);
NRT_API NRT_STATUS nrt_get_model_nc_count(const nrt_model_t* model, uint32_t* nc_count);
NRT_API NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t* model, uint32_t* vnc_count);

/* Writes at most size_in bytes of what is known of a loaded model, and to size_out how many that were.
 * size_out may be NULL. Gated. Any thread.
 * Errors: NRT_INVALID (NULL, or size_in 0), NRT_INVALID_HANDLE (no model). */
NRT_API NRT_STATUS nrt_get_model_info(const nrt_model_t* model, nrt_model_info_t* info, size_t size_in,
                                      size_t* size_out);

/* ---- Execution: nrt_execute(3) ---- */

/* Runs the model on the tensors that the sets have under its names, in the order in which its core takes
 * requests, and returns the status of the run. Waits for room in the core's queue, at most
 * NEURON_RT_EXEC_TIMEOUT seconds, and for queued transfers of those tensors. With
 * NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS above 0 it returns when the request is queued, waits only while
 * that many of the core are unfinished, and a callback is told the status. Gated. A plain thread or a fiber.
 * Errors: NRT_INVALID (NULL, no set, the wrong number of inputs, a tensor that is missing, too small or
 * without memory, in implicit asynchronous mode one on the host, or on a loop's thread outside a fiber),
 * NRT_INVALID_HANDLE (no model), NRT_EXEC_UNIT_UNRECOVERABLE (a fatal fault happened on this core),
 * NRT_TIMEOUT (no room in time), NRT_QUEUE_FULL (no room, in a completion callback), NRT_RESOURCE,
 * NRT_FAILURE (it would have to wait for the run in the entry of a package, or to block a simulation); and
 * what the run ended with: NRT_EXEC_BAD_INPUT, NRT_EXEC_COMPLETED_WITH_NUM_ERR, NRT_EXEC_COMPLETED_WITH_ERR,
 * NRT_EXEC_HW_ERR_NC_UE or whatever status the package gave. */
NRT_API NRT_STATUS nrt_execute(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                               nrt_tensor_set_t* output_set);

/* The same repeat_count times, one after the other, up to one that is refused; returns the most severe
 * status. In implicit asynchronous mode it queues that many. Gated. A plain thread or a fiber.
 * Errors: those of nrt_execute, NRT_INVALID also for a count below 1. */
NRT_API NRT_STATUS nrt_execute_repeat(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                                      nrt_tensor_set_t* output_set, int repeat_count);

/* Told about each execution of implicit asynchronous mode when it has ended, in order for each core, on a
 * thread of the runtime, which it must not block. job_id counts a core's requests in its low 48 bits. */
typedef void (*NRT_ASYNC_EXEC_STATUS_CALLBACK)(void* params, uint32_t model_id, uint32_t vnc, uint64_t job_id,
                                               NRT_STATUS status);

/* Makes callback the one that is told, in place of the one before; NULL goes back to one that logs failures.
 * Lasts over nrt_close. The one before may still be running when this returns. Any thread, any state. Errors:
 * none; returns NRT_SUCCESS. */
NRT_API NRT_STATUS nrt_register_async_exec_callback(NRT_ASYNC_EXEC_STATUS_CALLBACK callback, void* params);

/* Waits until every execution that was queued on the core is complete and its callback has returned. Gated. A
 * plain thread or a fiber; not in a completion callback or the entry of a package.
 * Errors: NRT_INVALID (no such core, or on a loop's thread outside a fiber), NRT_FAILURE (in such a callback,
 * or where a thread may not block), NRT_RESOURCE. */
NRT_API NRT_STATUS nrt_async_drain_queued_execs(int32_t vnc);

#ifdef __cplusplus
}
#endif

#endif /* NRT_H */
