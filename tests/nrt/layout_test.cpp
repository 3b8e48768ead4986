// SPDX-License-Identifier: ISC
//
// The interface in numbers: size and offsets of every public struct, the value of every constant, on 64-bit
// Linux. They are the vendor's; clients are compiled with them.
#include <catch2/catch.hpp>

#include <nrt/nrt.h>
#include <nrt/nrt_async.h>
#include <nrt/nrt_status.h>
#include <nrt/nrt_version.h>
#include <nrt/nrt_xtc.h>

#include <cstddef>
#include <string>
#include <type_traits>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes) && std::is_standard_layout_v<type>)
#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset))
#define VALUE(name, number) static_assert(static_cast<long long>(name) == (number))
#define IS(function, ...) static_assert(std::is_same_v<decltype(&function), __VA_ARGS__>)

SIZE(NRT_STATUS, 4);
SIZE(nrt_framework_type_t, 4);
VALUE(NRT_FRAMEWORK_TYPE_INVALID, 0);
VALUE(NRT_FRAMEWORK_TYPE_NO_FW, 1);
VALUE(NRT_FRAMEWORK_TYPE_TENSORFLOW, 2);
VALUE(NRT_FRAMEWORK_TYPE_PYTORCH, 3);
VALUE(NRT_FRAMEWORK_TYPE_MXNET, 4);
VALUE(NRT_FRAMEWORK_TYPE_PRECHECK, 5);

SIZE(nrt_tensor_placement_t, 4);
VALUE(NRT_TENSOR_PLACEMENT_DEVICE, 0);
VALUE(NRT_TENSOR_PLACEMENT_HOST, 1);
VALUE(NRT_TENSOR_PLACEMENT_VIRTUAL, 2);
VALUE(NRT_TENSOR_USAGE_INPUT, 0);
VALUE(NRT_TENSOR_USAGE_OUTPUT, 1);

SIZE(nrt_dtype_t, 4);
VALUE(NRT_DTYPE_UNKNOWN, 0);
VALUE(NRT_DTYPE_INVALID, 0);
VALUE(NRT_DTYPE_UINT64, 1);
VALUE(NRT_DTYPE_INT8, 2);
VALUE(NRT_DTYPE_UINT8, 3);
VALUE(NRT_DTYPE_INT16, 4);
VALUE(NRT_DTYPE_UINT16, 5);
VALUE(NRT_DTYPE_BFLOAT16, 6);
VALUE(NRT_DTYPE_FLOAT16, 7);
VALUE(NRT_DTYPE_INT32, 8);
VALUE(NRT_DTYPE_UINT32, 9);
VALUE(NRT_DTYPE_FLOAT32, 0xA);
VALUE(NRT_DTYPE_FP32R, 0xB);
VALUE(NRT_DTYPE_INT64, 0xC);
VALUE(NRT_DTYPE_FP8_E3, 0xD);
VALUE(NRT_DTYPE_FP8_E4, 0xE);
VALUE(NRT_DTYPE_FP8_E5, 0xF);

VALUE(NRT_OP_ADD, 0);
VALUE(NRT_OP_FMA, 1);
VALUE(NRT_OP_MAX, 2);
VALUE(NRT_OP_MIN, 3);
VALUE(NRT_OP_INVALID, 0xF);
VALUE(NRT_CC_ALLGATHER, 0);
VALUE(NRT_CC_ALLREDUCE, 1);
VALUE(NRT_CC_REDUCESCATTER, 2);

SIZE(nrta_xu_t, 4);
VALUE(NRTA_XU_TENSOR_OP, 0);
VALUE(NRTA_XU_COMPUTE, 1);
VALUE(NRTA_XU_COLLECTIVES, 2);
VALUE(NRTA_XU_TYPE_NUM, 3);
SIZE(nrta_seq_t, 8);
VALUE(NRTA_SEQ_NUM_MAX, 0xFFFFFFFFFFFF);
// The core in the high byte, then queue and kind of unit, then the number.
VALUE(NRTA_SEQ_GET_SEQ_NUM(0x7F12'0000'0000'0005ull), 5);
VALUE(NRTA_SEQ_GET_XU_ID(0x7F12'0000'0000'0005ull), 0x7F12);

VALUE(NRT_INSTANCE_UNKNOWN, 0);
VALUE(NRT_INSTANCE_INF1, 1);
VALUE(NRT_INSTANCE_TRN1, 2);
VALUE(NRT_INSTANCE_TRN1N, 3);
VALUE(NRT_INSTANCE_INF2, 4);
VALUE(NRT_INSTANCE_TRN2, 5);
VALUE(NRT_INSTANCE_TRN2N, 6);
VALUE(NRT_INSTANCE_INF2E, 7);
VALUE(NRT_INSTANCE_TRN2P, 8);
VALUE(NRT_INSTANCE_TRN2U, 9);
VALUE(NRT_INSTANCE_TRN2E, 10);
VALUE(NRT_INSTANCE_TRN2EU, 11);
VALUE(NRT_INSTANCE_TRN2AC, 12);
VALUE(NRT_INSTANCE_TRN2UAC, 13);
VALUE(NRT_INSTANCE_TRN3, 14);
VALUE(NRT_INSTANCE_TRN3PDS98, 15);
VALUE(NRT_INSTANCE_SIZE_1XL, 0);
VALUE(NRT_INSTANCE_SIZE_2XL, 1);
VALUE(NRT_INSTANCE_SIZE_4XL, 2);
VALUE(NRT_INSTANCE_SIZE_6XL, 3);
VALUE(NRT_INSTANCE_SIZE_8XL, 4);
VALUE(NRT_INSTANCE_SIZE_24XL, 5);
VALUE(NRT_INSTANCE_SIZE_32XL, 6);
VALUE(NRT_INSTANCE_SIZE_48XL, 7);
VALUE(NRT_INSTANCE_SIZE_3XL, 8);
VALUE(NRT_INSTANCE_SIZE_UNKNOWN, 9);

SIZE(nrt_version_t, 224);
AT(nrt_version_t, rt_major, 0);
AT(nrt_version_t, rt_minor, 8);
AT(nrt_version_t, rt_patch, 16);
AT(nrt_version_t, rt_maintenance, 24);
AT(nrt_version_t, rt_detail, 32);
AT(nrt_version_t, git_hash, 160);

SIZE(nrt_instance_info_t, 32);
AT(nrt_instance_info_t, family, 0);
AT(nrt_instance_info_t, size, 4);
AT(nrt_instance_info_t, arch_name, 8);
AT(nrt_instance_info_t, device_revision, 24);

SIZE(nrt_vnc_memory_stats_t, 16);
AT(nrt_vnc_memory_stats_t, bytes_used, 0);
AT(nrt_vnc_memory_stats_t, bytes_limit, 8);

SIZE(nrt_tensor_list_t, 16);
AT(nrt_tensor_list_t, tensors, 0);
AT(nrt_tensor_list_t, num_tensors, 8);

SIZE(nrt_cc_comm_t, 32);
AT(nrt_cc_comm_t, replica_group, 0);
AT(nrt_cc_comm_t, rank, 8);
AT(nrt_cc_comm_t, rank_n, 12);
AT(nrt_cc_comm_t, ctx_device_id, 16);
AT(nrt_cc_comm_t, ctx_device_count, 20);
AT(nrt_cc_comm_t, vnc, 24);

SIZE(nrt_tensor_batch_t, 24);
AT(nrt_tensor_batch_t, tensor, 0);
AT(nrt_tensor_batch_t, ops, 8);
AT(nrt_tensor_batch_t, num_ops, 16);
SIZE(nrt_tensor_batch_op_t, 24);
AT(nrt_tensor_batch_op_t, offset, 0);
AT(nrt_tensor_batch_op_t, size, 8);
AT(nrt_tensor_batch_op_t, buffer, 16);

SIZE(nrt_tensor_device_allocation_info_t, 24);
AT(nrt_tensor_device_allocation_info_t, physical_address, 0);
AT(nrt_tensor_device_allocation_info_t, size, 8);
AT(nrt_tensor_device_allocation_info_t, hbm_index, 16);

SIZE(nrt_tensor_info_t, 296);
AT(nrt_tensor_info_t, name, 0);
AT(nrt_tensor_info_t, usage, 256);
AT(nrt_tensor_info_t, size, 264);
AT(nrt_tensor_info_t, dtype, 272);
AT(nrt_tensor_info_t, shape, 280);
AT(nrt_tensor_info_t, ndim, 288);
AT(nrt_tensor_info_array_t, tensor_count, 0);
AT(nrt_tensor_info_array_t, tensor_array, 8);

SIZE(nrt_model_info_t, 4);
AT(nrt_model_info_t, vnc, 0);

static_assert(
    std::is_same_v<NRT_ASYNC_EXEC_STATUS_CALLBACK, void (*)(void* params, uint32_t model_id, uint32_t vnc,
                                                            uint64_t job_id, NRT_STATUS status)>);
static_assert(std::is_same_v<nrt_tensor_set_t, void>);

// Calls that clients declare by hand and look up by name.
IS(nrt_init, NRT_STATUS (*)(nrt_framework_type_t, const char*, const char*));
IS(nrt_close, void (*)());
IS(nrt_tensor_allocate, NRT_STATUS (*)(nrt_tensor_placement_t, int, size_t, const char*, nrt_tensor_t**));
IS(nrt_tensor_free, void (*)(nrt_tensor_t**));
IS(nrt_tensor_read, NRT_STATUS (*)(const nrt_tensor_t*, void*, size_t, size_t));
IS(nrt_tensor_write, NRT_STATUS (*)(nrt_tensor_t*, const void*, size_t, size_t));
IS(nrt_tensor_get_va, void* (*)(const nrt_tensor_t*));
IS(nrt_allocate_tensor_set, NRT_STATUS (*)(void**));
IS(nrt_xtc_print_env, int (*)(int));

TEST_CASE("Each status has its number and its name, and every other number none", "[nrt][status]") {
    const struct {
        int number;
        const char* name;
        NRT_STATUS constant;
    } all[] = {
#define ROW(number, name) {number, #name, name}
        ROW(0, NRT_SUCCESS),
        ROW(1, NRT_FAILURE),
        ROW(2, NRT_INVALID),
        ROW(3, NRT_INVALID_HANDLE),
        ROW(4, NRT_RESOURCE),
        ROW(5, NRT_TIMEOUT),
        ROW(6, NRT_HW_ERROR),
        ROW(7, NRT_QUEUE_FULL),
        ROW(9, NRT_LOAD_NOT_ENOUGH_NC),
        ROW(10, NRT_UNSUPPORTED_NEFF_VERSION),
        ROW(11, NRT_FAIL_HOST_MEM_ALLOC),
        ROW(13, NRT_UNINITIALIZED),
        ROW(14, NRT_CLOSED),
        ROW(15, NRT_QUEUE_EMPTY),
        ROW(101, NRT_EXEC_UNIT_UNRECOVERABLE),
        ROW(1002, NRT_EXEC_BAD_INPUT),
        ROW(1003, NRT_EXEC_COMPLETED_WITH_NUM_ERR),
        ROW(1004, NRT_EXEC_COMPLETED_WITH_ERR),
        ROW(1005, NRT_EXEC_NC_BUSY),
        ROW(1006, NRT_EXEC_OOB),
        ROW(1100, NRT_COLL_PENDING),
        ROW(1200, NRT_EXEC_HW_ERR_COLLECTIVES),
        ROW(1201, NRT_EXEC_HW_ERR_HBM_UE),
        ROW(1202, NRT_EXEC_HW_ERR_NC_UE),
        ROW(1203, NRT_EXEC_HW_ERR_DMA_ABORT),
        ROW(1204, NRT_EXEC_SW_NQ_OVERFLOW),
        ROW(1205, NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE),
        ROW(1206, NRT_NETWORK_PROXY_FAILURE),
#undef ROW
    };
    size_t next = 0;
    for (int number = 0; number < 2048; ++number) {
        const bool known = next < std::size(all) && all[next].number == number;
        const std::string name = nrt_get_status_as_str(static_cast<NRT_STATUS>(number));
        CHECK(name == (known ? all[next].name : "UNKNOWN"));
        if (known) CHECK(all[next++].constant == number);
    }
    CHECK(next == 28);
}
