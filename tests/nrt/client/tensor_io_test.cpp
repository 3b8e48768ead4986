// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

#include <cstring>
#include <vector>

using namespace client;

TEST_CASE("What is written is read, on the device and on the host", "[nrt][tensor_io]") {
    const Runtime runtime;
    for (const auto placement : {NRT_TENSOR_PLACEMENT_DEVICE, NRT_TENSOR_PLACEMENT_HOST}) {
        const Tensor tensor(256, placement);
        tensor.write("round", 0);
        tensor.write("trip", 252);
        CHECK(tensor.read(0, 5) == "round");
        CHECK(tensor.read(252, 4) == "trip");
        CHECK(std::memcmp(nrt_tensor_get_va(tensor), "round", 5) == 0);
    }
}

TEST_CASE("A range outside the tensor is refused, however it overflows, and nothing is touched",
          "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor tensor(100);
    const Tensor other(1000);
    CHECK(nrt_tensor_memset(tensor, 0, 'a', 100) == NRT_SUCCESS);
    char buffer[128];
    std::memset(buffer, 'b', sizeof buffer);
    const struct {
        size_t offset;
        size_t size;
    } outside[] = {{0, 101},
                   {100, 1},
                   {101, 0},
                   {99, 2},
                   {1, SIZE_MAX},
                   {SIZE_MAX, 1},
                   {SIZE_MAX, 0},
                   {SIZE_MAX - 50, 100},
                   {50, SIZE_MAX - 49},
                   {size_t{1} << 63, size_t{1} << 63}};
    for (const auto& [offset, size] : outside) {
        CAPTURE(offset, size);
        CHECK(nrt_tensor_read(tensor, buffer, offset, size) == NRT_INVALID);
        CHECK(nrt_tensor_write(tensor, buffer, offset, size) == NRT_INVALID);
        CHECK(nrt_tensor_memset(tensor, offset, 'b', size) == NRT_INVALID);
        CHECK(nrt_tensor_copy(tensor, offset, other, 0, size) == NRT_INVALID);
        CHECK(nrt_tensor_copy(other, 0, tensor, offset, size) == NRT_INVALID);
        const nrt_tensor_batch_op_t op{offset, size, buffer};
        const nrt_tensor_batch_t batch{tensor, &op, 1};
        CHECK(nrt_tensor_read_batch(&batch, 1, true) == NRT_INVALID);
        CHECK(nrt_tensor_write_batch(&batch, 1, false) == NRT_INVALID);
    }
    CHECK(tensor.read(0, 100) == std::string(100, 'a'));
    CHECK(std::string(buffer, sizeof buffer) == std::string(sizeof buffer, 'b'));
}

TEST_CASE("A transfer of no bytes succeeds anywhere up to the end", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor tensor(10);
    char byte = 0;
    for (const size_t offset : {size_t{0}, size_t{10}}) {
        CHECK(nrt_tensor_read(tensor, &byte, offset, 0) == NRT_SUCCESS);
        CHECK(nrt_tensor_write(tensor, &byte, offset, 0) == NRT_SUCCESS);
        CHECK(nrt_tensor_memset(tensor, offset, 0, 0) == NRT_SUCCESS);
        CHECK(nrt_tensor_copy(tensor, offset, tensor, 0, 0) == NRT_SUCCESS);
    }
}

TEST_CASE("NULL is refused", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor tensor(10);
    char byte = 0;
    CHECK(nrt_tensor_read(tensor, nullptr, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_read(tensor, nullptr, 0, 0) == NRT_INVALID);
    CHECK(nrt_tensor_read(nullptr, &byte, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_write(tensor, nullptr, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_write(nullptr, &byte, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_copy(nullptr, 0, tensor, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_copy(tensor, 0, nullptr, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_memset(nullptr, 0, 0, 1) == NRT_INVALID);
    CHECK(nrt_memcpy_to_device(nullptr, &byte, 1) == NRT_INVALID);
    CHECK(nrt_memcpy_to_device(&byte, nullptr, 1) == NRT_INVALID);
    CHECK(nrt_memcpy_to_device(nullptr, nullptr, 0) == NRT_SUCCESS);
}

TEST_CASE("A set in the place of a tensor is refused", "[nrt][tensor_io]") {
    const Runtime runtime;
    nrt_tensor_set_t* set = nullptr;
    REQUIRE(nrt_allocate_tensor_set(&set) == NRT_SUCCESS);
    char byte = 0;
    auto* mistaken = static_cast<nrt_tensor_t*>(set);
    CHECK(nrt_tensor_read(mistaken, &byte, 0, 1) == NRT_INVALID);
    CHECK(nrt_tensor_get_size(mistaken) == 0);
    nrt_destroy_tensor_set(&set);
}

TEST_CASE("Copies go between device, host and cores, and within one tensor", "[nrt][tensor_io]") {
    const Variable count("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const Tensor device(32);
    const Tensor host(32, NRT_TENSOR_PLACEMENT_HOST);
    nrt_tensor_t* far = nullptr;
    REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 32, "other core", &far) == NRT_SUCCESS);
    host.write("0123456789");
    CHECK(nrt_tensor_copy(host, 2, device, 5, 6) == NRT_SUCCESS);
    CHECK(nrt_tensor_copy(device, 5, far, 0, 6) == NRT_SUCCESS); // one memory serves all cores
    char back[6];
    CHECK(nrt_tensor_read(far, back, 0, 6) == NRT_SUCCESS);
    CHECK(std::memcmp(back, "234567", 6) == 0);
    nrt_tensor_free(&far);
    CHECK(nrt_tensor_copy(host, 0, host, 3, 7) == NRT_SUCCESS); // overlapping, upwards
    CHECK(host.read(0, 10) == "0120123456");
    CHECK(nrt_tensor_copy(host, 3, host, 0, 7) == NRT_SUCCESS); // and downwards
    CHECK(host.read(0, 10) == "0123456456");
    const Tensor slice(host, 4, 8);
    CHECK(nrt_tensor_copy(host, 0, slice, 0, 6) == NRT_SUCCESS); // two tensors, the same memory
    CHECK(host.read(0, 10) == "0123012345");
}

TEST_CASE("A value is set in its low eight bits", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor tensor(8);
    CHECK(nrt_tensor_memset(tensor, 0, 0x12345678, 8) == NRT_SUCCESS);
    CHECK(nrt_tensor_memset(tensor, 2, -1, 3) == NRT_SUCCESS);
    CHECK(tensor.read(0, 8) == "\x78\x78\xff\xff\xff\x78\x78\x78");
}

TEST_CASE("Bytes go straight to the address of a tensor", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor tensor(8);
    CHECK(nrt_memcpy_to_device(static_cast<char*>(nrt_tensor_get_va(tensor)) + 2, "abc", 3) == NRT_SUCCESS);
    CHECK(tensor.read(2, 3) == "abc");
}

TEST_CASE("Batches read and write many ranges of many tensors", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor a(16);
    const Tensor b(16, NRT_TENSOR_PLACEMENT_HOST);
    for (const bool unsafe : {false, true}) {
        char one[] = "one";
        char two[] = "two";
        char three[] = "three";
        const nrt_tensor_batch_op_t into_a[] = {{0, 3, one}, {8, 3, one}, {8, 3, two}}; // in this order
        const nrt_tensor_batch_op_t into_b[] = {{11, 5, three}};
        const nrt_tensor_batch_t writes[] = {{a, into_a, 3}, {b, into_b, 1}, {a, nullptr, 0}};
        CHECK(nrt_tensor_write_batch(writes, 3, unsafe) == NRT_SUCCESS);
        CHECK(a.read(8, 3) == "two");
        char back[5];
        const nrt_tensor_batch_op_t from_b[] = {{11, 5, back}};
        const nrt_tensor_batch_t reads[] = {{b, from_b, 1}};
        CHECK(nrt_tensor_read_batch(reads, 1, unsafe) == NRT_SUCCESS);
        CHECK(std::memcmp(back, "three", 5) == 0);
        CHECK(nrt_tensor_read_batch(reads, 0, unsafe) == NRT_SUCCESS);
    }
}

TEST_CASE("One bad operation in a batch and none of it is done", "[nrt][tensor_io]") {
    const Runtime runtime;
    const Tensor a(16);
    const Tensor b(16);
    CHECK(nrt_tensor_memset(a, 0, '-', 16) == NRT_SUCCESS);
    char text[] = "text";
    const nrt_tensor_batch_op_t good[] = {{0, 4, text}};
    const nrt_tensor_batch_op_t outside[] = {{0, 4, text}, {13, 4, text}};
    const nrt_tensor_batch_op_t nowhere[] = {{0, 4, nullptr}};
    const nrt_tensor_batch_t batches[][2] = {{{a, good, 1}, {b, outside, 2}},
                                             {{a, good, 1}, {b, nowhere, 1}},
                                             {{a, good, 1}, {nullptr, good, 1}},
                                             {{a, good, 1}, {b, nullptr, 1}}};
    for (const auto& batch : batches) {
        CHECK(nrt_tensor_write_batch(batch, 2, false) == NRT_INVALID);
        CHECK(nrt_tensor_read_batch(batch, 2, false) == NRT_INVALID);
    }
    CHECK(nrt_tensor_write_batch(nullptr, 1, false) == NRT_INVALID);
    CHECK(a.read(0, 4) == "----");
    CHECK(std::string(text) == "text");
}

TEST_CASE("Five gigabytes are taken page by page and reach beyond four", "[nrt][tensor_io]") {
    const Runtime runtime;
    const size_t size = 5 * (size_t{1} << 30);
    const size_t high = size - 16;
    const Tensor tensor(size);
    CHECK(nrt_tensor_get_size(tensor) == size);
    tensor.write("low", 0);
    tensor.write("high above four", high);
    CHECK(tensor.read(high, 15) == "high above four");
    CHECK(tensor.read(high - (size_t{1} << 32), 15) != "high above four"); // not 32 bits of the offset
    const Tensor slice(tensor, (size_t{1} << 32) + 100, 1000);
    slice.write("slice", 3);
    CHECK(tensor.read((size_t{1} << 32) + 103, 5) == "slice");
    CHECK(nrt_tensor_copy(tensor, high, tensor, 100, 4) == NRT_SUCCESS);
    CHECK(tensor.read(100, 4) == "high");
    char byte = 0;
    CHECK(nrt_tensor_read(tensor, &byte, size, 1) == NRT_INVALID);
}

TEST_CASE("A transfer of several slices arrives whole", "[nrt][tensor_io]") {
    const Runtime runtime;
    std::vector<char> from(5'000'001);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 + i / 1000);
    std::vector<char> to(from.size());
    const Tensor tensor(from.size() + 9);
    CHECK(nrt_tensor_write(tensor, from.data(), 9, from.size()) == NRT_SUCCESS);
    CHECK(nrt_tensor_copy(tensor, 9, tensor, 4, from.size()) == NRT_SUCCESS);
    CHECK(nrt_tensor_read(tensor, to.data(), 4, to.size()) == NRT_SUCCESS);
    CHECK(from == to);
}
