// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "nrt/storage.hpp"
#include "nrt/tensor.hpp"
#include "nrt/tensor_set.hpp"
#include "support/loops.hpp"
#include "xtc.h"

using namespace xtc::nrt;
using namespace xtc::test;

TEST_CASE("Device memory is counted on its core until its last holder goes", "[nrt][storage]") {
    const uint64_t before = Storage::bytes_on(3);
    Ref<Storage> storage = Storage::allocate(1000, 3);
    CHECK(Storage::bytes_on(3) == before + 1000);
    Ref<View> view = View::whole(storage);
    storage = {};
    CHECK(Storage::bytes_on(3) == before + 1000);
    view = {};
    CHECK(Storage::bytes_on(3) == before);
    CHECK(Storage::allocate(1000, Storage::kHost));
    CHECK(Storage::bytes_on(3) == before);
}

TEST_CASE("Ranges are inside a view or not, whatever overflows", "[nrt][storage]") {
    const Ref<View> whole = View::whole(Storage::allocate(100, Storage::kHost));
    const Ref<View> part = View::part(*whole, 60, 20);
    CHECK(part->at(0) == whole->at(60));
    CHECK(part->holds(0, 20));
    CHECK(part->holds(20, 0));
    CHECK_FALSE(part->holds(0, 21));
    CHECK_FALSE(part->holds(21, 0));
    CHECK_FALSE(part->holds(1, UINT64_MAX));
    CHECK_FALSE(part->holds(UINT64_MAX, 1));
    CHECK_FALSE(part->holds(UINT64_MAX, UINT64_MAX));
}

TEST_CASE("Memory that can not be had is no storage", "[nrt][storage]") {
    CHECK_FALSE(Storage::allocate(SIZE_MAX, 0));
    CHECK_FALSE(Storage::allocate(size_t{1} << 62, 0));
    CHECK(Storage::bytes_on(0) == 0);
}

TEST_CASE("A handle is given up once, however often it is freed", "[nrt][tensor]") {
    Ref<Tensor> tensor = Tensor::make(nullptr, {});
    CHECK(tensor->name() == "_unknown_");
    tensor->retain(); // the handle's
    tensor->give_up_handle();
    tensor->give_up_handle();
    CHECK(Tensor::of(reinterpret_cast<nrt_tensor_t*>(tensor.get())) == tensor.get());
}

TEST_CASE("A tensor's name is a copy", "[nrt][tensor]") {
    std::string name = "mine";
    const Ref<Tensor> tensor = Tensor::make(name.c_str(), {});
    name = "else";
    CHECK(tensor->name() == "mine");
}

TEST_CASE("A set is no tensor and a tensor no set", "[nrt][tensor]") {
    const Ref<Tensor> tensor = Tensor::make("t", {});
    const Ref<TensorSet> set = TensorSet::make();
    CHECK(Tensor::of(reinterpret_cast<const nrt_tensor_t*>(set.get())) == nullptr);
    CHECK(TensorSet::of(tensor.get()) == nullptr);
    CHECK(TensorSet::of(set.get()) == set.get());
    CHECK(Tensor::of(nullptr) == nullptr);
    CHECK(TensorSet::of(nullptr) == nullptr);
}

// A model's handle is in non-canonical address space, where a look at the mark is a fault of the processor.
TEST_CASE("What can be no address of a tensor or set is not looked at", "[nrt][tensor]") {
    for (const uint64_t value : {uint64_t{0x4e4d} << 48 | 65536, uint64_t{1}, uint64_t{8}, uint64_t{4095},
                                 uint64_t{4097}, uint64_t{1} << 48, uint64_t{1} << 63, UINT64_MAX}) {
        INFO(value);
        CHECK(Tensor::of(reinterpret_cast<const nrt_tensor_t*>(value)) == nullptr);
        CHECK(TensorSet::of(reinterpret_cast<const nrt_tensor_set_t*>(value)) == nullptr);
    }
}

TEST_CASE("Who waits for outputs goes on with the last of them", "[nrt][tensor]") {
    const Ref<Tensor> tensor = Tensor::make("out", {});
    CHECK(tensor->wait_for_outputs(0, 0) == XTC_OK);
    CHECK(tensor->wait_for_outputs(1, 0) == XTC_E_AGAIN);
    int counted = 0;
    int seen = 0;
    TestLoop loop;
    loop.proc([&] {
        CHECK(tensor->wait_for_outputs(3, kForever) == XTC_OK);
        seen = counted;
    });
    loop.proc([&] {
        for (; counted < 3; xtc_yield()) {
            ++counted;
            tensor->count_output();
        }
    });
    loop.run();
    CHECK(seen == 3);
    tensor->reset_outputs();
    CHECK(tensor->wait_for_outputs(1, 0) == XTC_E_AGAIN);
}
