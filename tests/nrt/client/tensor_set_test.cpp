// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

using namespace client;

namespace {

class Set {
public:
    Set() { REQUIRE(nrt_allocate_tensor_set(&handle) == NRT_SUCCESS); }
    ~Set() { nrt_destroy_tensor_set(&handle); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    operator nrt_tensor_set_t*() const { return handle; }
    nrt_tensor_t* find(const char* name) const {
        nrt_tensor_t* found = nullptr;
        const NRT_STATUS status = nrt_get_tensor_from_tensor_set(handle, name, &found);
        CHECK((status == NRT_SUCCESS) == (found != nullptr));
        return found;
    }
    nrt_tensor_set_t* handle = nullptr;
};

} // namespace

TEST_CASE("A set finds tensors by name, the latest of each", "[nrt][tensor_set]") {
    const Runtime runtime;
    const Set set;
    const Tensor a(1);
    const Tensor b(2);
    CHECK(nrt_add_tensor_to_tensor_set(set, "x", a) == NRT_SUCCESS);
    CHECK(nrt_add_tensor_to_tensor_set(set, "y", a) == NRT_SUCCESS); // one tensor under two names
    CHECK(set.find("x") == a.handle);
    CHECK(nrt_add_tensor_to_tensor_set(set, "x", b) == NRT_SUCCESS);
    CHECK(set.find("x") == b.handle);
    CHECK(set.find("y") == a.handle);
    CHECK(nrt_add_tensor_to_tensor_set(set, "x", b) == NRT_SUCCESS); // again the same
    CHECK(set.find("x") == b.handle);
}

TEST_CASE("A name that is not in the set is NRT_FAILURE and writes nothing", "[nrt][tensor_set]") {
    const Runtime runtime;
    const Set set;
    char somewhere = 0;
    auto* const mark = reinterpret_cast<nrt_tensor_t*>(&somewhere);
    nrt_tensor_t* out = mark;
    CHECK(nrt_get_tensor_from_tensor_set(set, "nobody", &out) == NRT_FAILURE);
    CHECK(out == mark);
}

TEST_CASE("Names are copied", "[nrt][tensor_set]") {
    const Runtime runtime;
    const Set set;
    const Tensor tensor(8);
    std::string name = "input";
    CHECK(nrt_add_tensor_to_tensor_set(set, name.c_str(), tensor) == NRT_SUCCESS);
    name = "other";
    CHECK(set.find("input") == tensor.handle);
    CHECK(set.find("other") == nullptr);
}

TEST_CASE("A freed tensor lives on in the sets that have it", "[nrt][tensor_set]") {
    const Runtime runtime;
    const Set first;
    Set second;
    Tensor tensor(8);
    tensor.write("still");
    CHECK(nrt_add_tensor_to_tensor_set(first, "t", tensor) == NRT_SUCCESS);
    CHECK(nrt_add_tensor_to_tensor_set(second, "t", tensor) == NRT_SUCCESS);
    nrt_tensor_free(&tensor.handle);
    nrt_destroy_tensor_set(&second.handle);
    CHECK(second.handle == nullptr);
    nrt_tensor_t* found = first.find("t");
    REQUIRE(found != nullptr);
    char back[5];
    CHECK(nrt_tensor_read(found, back, 0, 5) == NRT_SUCCESS);
    CHECK(std::string(back, 5) == "still");
    // Freeing what a set lent does not take it from the set.
    nrt_tensor_free(&found);
    CHECK(nrt_tensor_read(first.find("t"), back, 0, 5) == NRT_SUCCESS);
}

TEST_CASE("NULL, and what is no set or no tensor, is refused", "[nrt][tensor_set]") {
    const Runtime runtime;
    const Set set;
    const Tensor tensor(8);
    nrt_tensor_t* out = nullptr;
    CHECK(nrt_allocate_tensor_set(nullptr) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(nullptr, "x", tensor) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(set, nullptr, tensor) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(set, "x", nullptr) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(tensor.handle, "x", tensor) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(set, "x", static_cast<nrt_tensor_t*>(set.handle)) == NRT_INVALID);
    CHECK(nrt_get_tensor_from_tensor_set(nullptr, "x", &out) == NRT_INVALID);
    CHECK(nrt_get_tensor_from_tensor_set(set, nullptr, &out) == NRT_INVALID);
    CHECK(nrt_get_tensor_from_tensor_set(set, "x", nullptr) == NRT_INVALID);
    nrt_destroy_tensor_set(nullptr);
    nrt_tensor_set_t* none = nullptr;
    nrt_destroy_tensor_set(&none);
    CHECK(none == nullptr);
}

TEST_CASE("A set can be destroyed after close", "[nrt][tensor_set]") {
    nrt_tensor_set_t* set = nullptr;
    {
        const Runtime runtime;
        const Tensor tensor(8);
        REQUIRE(nrt_allocate_tensor_set(&set) == NRT_SUCCESS);
        CHECK(nrt_add_tensor_to_tensor_set(set, "t", tensor) == NRT_SUCCESS);
    }
    nrt_destroy_tensor_set(&set);
    CHECK(set == nullptr);
}
