// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

#include <cstring>

using namespace client;

TEST_CASE("fresh: counts before init", "[.]") {
    uint32_t count = 0;
    const Variable cores("XTC_NRT_VNC_COUNT", "8");
    CHECK(nrt_get_total_vnc_count(&count) == NRT_SUCCESS);
    CHECK(count == 8);
    CHECK(nrt_get_total_nc_count(&count) == NRT_SUCCESS);
    CHECK(count == 8);
    {
        const Variable some("NEURON_RT_NUM_CORES", "3");
        CHECK(nrt_get_visible_vnc_count(&count) == NRT_SUCCESS);
        CHECK(count == 3);
        const Variable visible("NEURON_RT_VISIBLE_CORES", "2-3");
        CHECK(nrt_get_visible_nc_count(&count) == NRT_SUCCESS);
        CHECK(count == 2);
        CHECK(nrt_get_total_vnc_count(&count) == NRT_SUCCESS);
        CHECK(count == 8);
    }
    CHECK(nrt_get_visible_vnc_count(&count) == NRT_SUCCESS);
    CHECK(count == 8);
    const Variable bad("XTC_NRT_VNC_COUNT", "many");
    CHECK(nrt_get_total_vnc_count(&count) == NRT_INVALID);
    CHECK(nrt_get_visible_vnc_count(&count) == NRT_INVALID);
    CHECK(count == 8);
    // No loop, no thread, no state came of asking.
    nrt_tensor_t* tensor = nullptr;
    CHECK(nrt_tensor_allocate_empty("t", &tensor) == NRT_UNINITIALIZED);
}
TEST_CASE("Cores can be counted before init, from the environment of the moment", "[nrt][info]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    CHECK(run_fresh("fresh: counts before init") == 0);
}

TEST_CASE("A count has somewhere to go", "[nrt][info]") {
    const Runtime runtime;
    CHECK(nrt_get_total_vnc_count(nullptr) == NRT_INVALID);
    CHECK(nrt_get_total_nc_count(nullptr) == NRT_INVALID);
    CHECK(nrt_get_visible_vnc_count(nullptr) == NRT_INVALID);
    CHECK(nrt_get_visible_nc_count(nullptr) == NRT_INVALID);
}

TEST_CASE("The version fits into what the caller has", "[nrt][info]") {
    struct {
        nrt_version_t version;
        char after[8];
    } room;
    for (const size_t size : {size_t{160}, size_t{200}, size_t{201}, size_t{224}, size_t{232}}) {
        CAPTURE(size);
        std::memset(static_cast<void*>(&room), 0x5a, sizeof room);
        CHECK(nrt_get_version(&room.version, size) == NRT_SUCCESS);
        CHECK(room.version.rt_major == 2);
        CHECK(room.version.rt_minor == 31);
        CHECK(room.version.rt_patch == 24);
        CHECK(room.version.rt_maintenance == 0);
        CHECK(std::string(room.version.rt_detail) == "libnrt version 2.31.24.0");
        if (size > 200)
            CHECK(std::string(room.version.git_hash).rfind("libxtc-", 0) == 0);
        else
            CHECK(room.version.git_hash[0] == 0x5a);
        CHECK(room.after[0] == 0x5a);
    }
    CHECK(nrt_get_version(&room.version, 159) == NRT_FAILURE);
    CHECK(nrt_get_version(nullptr, 224) == NRT_INVALID);
}

TEST_CASE("The machine is no Neuron instance", "[nrt][info]") {
    nrt_instance_info_t info{};
    CHECK(nrt_get_instance_info(&info, sizeof info) == NRT_SUCCESS);
    CHECK(info.family == NRT_INSTANCE_UNKNOWN);
    CHECK(info.size == NRT_INSTANCE_SIZE_UNKNOWN);
    CHECK(std::string(info.arch_name) == "cpu");
    char room[64];
    std::memset(room, 0x5a, sizeof room);
    CHECK(nrt_get_instance_info(reinterpret_cast<nrt_instance_info_t*>(room), sizeof room) == NRT_SUCCESS);
    CHECK(room[sizeof info] == 0x5a); // there is no more than the struct to write
    nrt_instance_info_t part{};
    part.size = 77;
    CHECK(nrt_get_instance_info(&part, 4) == NRT_SUCCESS);
    CHECK(part.size == 77);
    CHECK(nrt_get_instance_info(&info, 0) == NRT_INVALID);
    CHECK(nrt_get_instance_info(nullptr, 32) == NRT_INVALID);
}

TEST_CASE("A core's memory statistics follow its device tensors", "[nrt][info]") {
    const Variable count("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const auto used = [](uint32_t core) {
        nrt_vnc_memory_stats_t stats{};
        size_t written = 0;
        CHECK(nrt_get_vnc_memory_stats(core, &stats, sizeof stats, &written) == NRT_SUCCESS);
        CHECK(written == sizeof stats);
        CHECK(stats.bytes_limit > 0);
        return stats.bytes_used;
    };
    const size_t before = used(0);
    {
        const Tensor tensor(5000);
        const Tensor slice(tensor, 10, 20);
        const Tensor host(7000, NRT_TENSOR_PLACEMENT_HOST);
        CHECK(used(0) == before + 5000);
        CHECK(used(1) == 0);
    }
    CHECK(used(0) == before);
    nrt_vnc_memory_stats_t stats{1, 2};
    CHECK(nrt_get_vnc_memory_stats(2, &stats, sizeof stats, nullptr) == NRT_INVALID);
    CHECK(nrt_get_vnc_memory_stats(0, nullptr, sizeof stats, nullptr) == NRT_INVALID);
    CHECK(nrt_get_vnc_memory_stats(0, &stats, 0, nullptr) == NRT_INVALID);
    CHECK(stats.bytes_limit == 2);
    CHECK(nrt_get_vnc_memory_stats(0, &stats, 8, nullptr) == NRT_SUCCESS); // a client of an older struct
    CHECK(stats.bytes_limit == 2);
}

TEST_CASE("What the CPU device does not have is refused, not invented", "[nrt][info]") {
    const Runtime runtime;
    const Tensor tensor(64);
    int fd = -7;
    char bdf[32] = "untouched";
    size_t length = sizeof bdf;
    void* address = nullptr;
    CHECK(nrt_get_dmabuf_fd(reinterpret_cast<uint64_t>(nrt_tensor_get_va(tensor)), 64, &fd) == NRT_INVALID);
    CHECK(nrt_get_attached_efa_bdf(nrt_tensor_get_va(tensor), bdf, &length) == NRT_INVALID);
    CHECK(nrt_get_hbm_mmap_va(0, 0, &address, &length) == NRT_INVALID);
    CHECK(fd == -7);
    CHECK(length == sizeof bdf);
    CHECK(address == nullptr);
}
