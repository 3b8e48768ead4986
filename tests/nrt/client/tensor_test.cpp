// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

#include <cstring>

using namespace client;

TEST_CASE("Memory is on a visible core's device or on the host", "[nrt][tensor]") {
    const Variable count("XTC_NRT_VNC_COUNT", "4");
    const Variable visible("NEURON_RT_VISIBLE_CORES", "2-3");
    const Runtime runtime;
    const auto allocate = [](int placement, int vnc, size_t size) {
        nrt_tensor_t* tensor = nullptr;
        const NRT_STATUS status =
            nrt_tensor_allocate(static_cast<nrt_tensor_placement_t>(placement), vnc, size, "t", &tensor);
        CHECK((status == NRT_SUCCESS) == (tensor != nullptr));
        if (tensor != nullptr) CHECK(nrt_tensor_get_size(tensor) == size);
        nrt_tensor_free(&tensor);
        return status;
    };
    CHECK(allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 1) == NRT_SUCCESS);
    CHECK(allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 1) == NRT_SUCCESS);
    CHECK(allocate(NRT_TENSOR_PLACEMENT_DEVICE, 2, 1) == NRT_INVALID); // two are visible
    CHECK(allocate(NRT_TENSOR_PLACEMENT_DEVICE, -1, 1) == NRT_INVALID);
    CHECK(allocate(NRT_TENSOR_PLACEMENT_HOST, 0, 1) == NRT_SUCCESS);
    CHECK(allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 1) == NRT_SUCCESS); // the host is no core
    CHECK(allocate(NRT_TENSOR_PLACEMENT_VIRTUAL, 0, 1) == NRT_INVALID);
    CHECK(allocate(3, 0, 1) == NRT_INVALID);
    CHECK(allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 0) == NRT_INVALID);
    CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8, "t", nullptr) == NRT_INVALID);
}

TEST_CASE("More memory than there can be is NRT_RESOURCE", "[nrt][tensor]") {
    const Runtime runtime;
    nrt_tensor_t* tensor = nullptr;
    for (const size_t size : {SIZE_MAX, SIZE_MAX - 4095, size_t{1} << 62})
        CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, size, "t", &tensor) == NRT_RESOURCE);
    CHECK(tensor == nullptr);
}

TEST_CASE("A name may be missing, empty or long, and is the tensor's own", "[nrt][tensor]") {
    const Runtime runtime;
    std::string name(5000, 'n');
    for (const char* given : {static_cast<const char*>(nullptr), "", name.c_str()}) {
        nrt_tensor_t* tensor = nullptr;
        CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, 0, 8, given, &tensor) == NRT_SUCCESS);
        nrt_tensor_free(&tensor);
    }
}

TEST_CASE("An empty tensor has no memory until a buffer is attached", "[nrt][tensor]") {
    // Freeing one that never got any has crashed elsewhere.
    const Runtime runtime;
    nrt_tensor_t* tensor = nullptr;
    REQUIRE(nrt_tensor_allocate_empty("e", &tensor) == NRT_SUCCESS);
    char byte = 0;
    nrt_tensor_t* slice = nullptr;
    CHECK(nrt_tensor_get_size(tensor) == 0);
    CHECK(nrt_tensor_get_va(tensor) == nullptr);
    CHECK(nrt_tensor_read(tensor, &byte, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_read(tensor, &byte, 0, 0) == NRT_INVALID);
    CHECK(nrt_tensor_write(tensor, &byte, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_memset(tensor, 0, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_allocate_slice(tensor, 0, 1, "s", &slice) == NRT_INVALID);
    char buffer[32] = "the client's";
    CHECK(nrt_tensor_attach_buffer(tensor, buffer, sizeof buffer) == NRT_SUCCESS);
    CHECK(nrt_tensor_get_size(tensor) == sizeof buffer);
    CHECK(nrt_tensor_get_va(tensor) == buffer);
    CHECK(nrt_tensor_write(tensor, "own", 13, 4) == NRT_SUCCESS);
    CHECK(std::string(buffer + 13) == "own");
    nrt_tensor_free(&tensor);
    CHECK(tensor == nullptr);
    CHECK(std::string(buffer) == "the client's"); // and stays the client's
    REQUIRE(nrt_tensor_allocate_empty(nullptr, &tensor) == NRT_SUCCESS);
    nrt_tensor_free(&tensor);
}

TEST_CASE("Attaching a buffer lets the old memory go, but not from under a slice", "[nrt][tensor]") {
    const Runtime runtime;
    const Tensor tensor(64);
    tensor.write("device");
    const Tensor slice(tensor, 0, 6);
    char buffer[8] = "buffer";
    CHECK(nrt_tensor_attach_buffer(tensor, buffer, sizeof buffer) == NRT_SUCCESS);
    CHECK(tensor.read(0, 6) == "buffer");
    CHECK(slice.read(0, 6) == "device");
    nrt_tensor_device_allocation_info_t info{};
    CHECK(nrt_tensor_get_device_allocation_info(tensor, &info) == NRT_INVALID); // a host tensor now
    CHECK(nrt_tensor_get_device_allocation_info(slice, &info) == NRT_SUCCESS);
    CHECK(nrt_tensor_attach_buffer(tensor, nullptr, 8) == NRT_INVALID);
    CHECK(nrt_tensor_attach_buffer(tensor, buffer, 0) == NRT_INVALID);
    CHECK(nrt_tensor_attach_buffer(tensor, buffer, SIZE_MAX) == NRT_INVALID);
    CHECK(nrt_tensor_attach_buffer(nullptr, buffer, 8) == NRT_INVALID);
    CHECK(nrt_tensor_get_size(tensor) == sizeof buffer);
}

TEST_CASE("Slices share memory, add their offsets and outlive their source", "[nrt][tensor]") {
    const Runtime runtime;
    auto* whole = new Tensor(100);
    whole->write("abcdefghij", 50);
    const Tensor outer(*whole, 40, 30);
    const Tensor inner(outer, 12, 5);
    CHECK(nrt_tensor_get_va(inner) == static_cast<char*>(nrt_tensor_get_va(*whole)) + 52);
    CHECK(inner.read(0, 5) == "cdefg");
    inner.write("X", 4);
    CHECK(whole->read(50, 10) == "abcdefXhij");
    delete whole;
    CHECK(outer.read(10, 10) == "abcdefXhij");
}

TEST_CASE("A slice is inside its source's view", "[nrt][tensor]") {
    const Runtime runtime;
    const Tensor tensor(100);
    const Tensor part(tensor, 10, 50);
    nrt_tensor_t* slice = nullptr;
    const auto try_slice = [&](size_t offset, size_t size) {
        return nrt_tensor_allocate_slice(part, offset, size, "s", &slice);
    };
    CHECK(try_slice(0, 51) == NRT_INVALID); // the memory goes on, the view does not
    CHECK(try_slice(50, 1) == NRT_INVALID);
    CHECK(try_slice(1, SIZE_MAX) == NRT_INVALID);
    CHECK(try_slice(SIZE_MAX, 1) == NRT_INVALID);
    CHECK(try_slice(SIZE_MAX, SIZE_MAX) == NRT_INVALID);
    CHECK(try_slice(0, 0) == NRT_INVALID);
    CHECK(nrt_tensor_allocate_slice(nullptr, 0, 1, "s", &slice) == NRT_INVALID);
    CHECK(nrt_tensor_allocate_slice(part, 0, 1, "s", nullptr) == NRT_INVALID);
    CHECK(slice == nullptr);
    CHECK(try_slice(0, 50) == NRT_SUCCESS);
    nrt_tensor_free(&slice);
}

TEST_CASE("Nothing is freed for nothing", "[nrt][tensor]") {
    nrt_tensor_free(nullptr);
    nrt_tensor_t* none = nullptr;
    nrt_tensor_free(&none);
    CHECK(none == nullptr);
    CHECK(nrt_tensor_get_size(nullptr) == 0);
    CHECK(nrt_tensor_get_va(nullptr) == nullptr);
}

TEST_CASE("A tensor can be freed after close and used after the next init", "[nrt][tensor]") {
    nrt_tensor_t* kept = nullptr;
    nrt_tensor_t* freed = nullptr;
    {
        const Runtime runtime;
        REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8, "k", &kept) == NRT_SUCCESS);
        REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8, "f", &freed) == NRT_SUCCESS);
        CHECK(nrt_tensor_write(kept, "kept", 0, 4) == NRT_SUCCESS);
    }
    CHECK(nrt_tensor_get_va(kept) == nullptr);
    CHECK(nrt_tensor_get_size(kept) == 8);
    nrt_tensor_free(&freed);
    CHECK(freed == nullptr);
    const Runtime again;
    char back[4];
    CHECK(nrt_tensor_read(kept, back, 0, 4) == NRT_SUCCESS);
    CHECK(std::memcmp(back, "kept", 4) == 0);
    nrt_tensor_free(&kept);
}

TEST_CASE("Calls about a tensor that need no runtime work after close", "[nrt][tensor]") {
    nrt_tensor_t* tensor = nullptr;
    {
        const Runtime runtime;
        REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, 0, 8, "t", &tensor) == NRT_SUCCESS);
    }
    char to[4] = "";
    CHECK(nrt_memcpy_to_device(to, "abc", 4) == NRT_SUCCESS);
    CHECK(std::string(to) == "abc");
    CHECK(nrt_tensor_get_size(tensor) == 8);
    CHECK(nrt_tensor_reset_output_completion(tensor) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensor, 0, 0) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensor, 1, 1) == NRT_TIMEOUT);
    nrt_tensor_free(&tensor);
}

TEST_CASE("A device tensor tells where it is", "[nrt][tensor]") {
    const Runtime runtime;
    const Tensor tensor(100);
    const Tensor slice(tensor, 60, 40);
    const Tensor host(100, NRT_TENSOR_PLACEMENT_HOST);
    nrt_tensor_device_allocation_info_t info{};
    CHECK(nrt_tensor_get_device_allocation_info(slice, &info) == NRT_SUCCESS);
    CHECK(info.physical_address == reinterpret_cast<uint64_t>(nrt_tensor_get_va(slice)));
    CHECK(info.size == 100);
    CHECK(info.hbm_index == 0);
    CHECK(nrt_tensor_get_device_allocation_info(host, &info) == NRT_INVALID);
    CHECK(nrt_tensor_get_device_allocation_info(nullptr, &info) == NRT_INVALID);
    CHECK(nrt_tensor_get_device_allocation_info(tensor, nullptr) == NRT_INVALID);
}

TEST_CASE("Outputs that were never written are waited for as long as was said", "[nrt][tensor]") {
    const Runtime runtime;
    const Tensor tensor(8);
    CHECK(nrt_tensor_check_output_completion(tensor, 0, 0) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensor, 0, 1) == NRT_TIMEOUT);
    CHECK(nrt_tensor_check_output_completion(tensor, 1000, 1) == NRT_TIMEOUT);
    CHECK(nrt_tensor_reset_output_completion(tensor) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(nullptr, 0, 0) == NRT_INVALID);
    CHECK(nrt_tensor_reset_output_completion(nullptr) == NRT_INVALID);
}
