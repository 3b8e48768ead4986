// SPDX-License-Identifier: ISC
//
// A client that has no headers of ours: prototypes written by hand, symbols looked up at the vendor's nodes.
#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

template <class F> F* at_node(void* library, const char* name, const char* node) {
    return reinterpret_cast<F*>(::dlvsym(library, name, node));
}

} // namespace

TEST_CASE("A client that opens the library by its name finds what it looks for", "[nrt][dlopen]") {
    ::setenv("NEURON_RT_LOG_LEVEL", "QUIET", 1);
    void* const library = ::dlopen("libnrt.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const char* const node = "NRT_2.0.0";
    auto* const init = at_node<int(int, const char*, const char*)>(library, "nrt_init", node);
    auto* const close = at_node<void()>(library, "nrt_close", node);
    auto* const allocate =
        at_node<int(int, int, size_t, const char*, void**)>(library, "nrt_tensor_allocate", node);
    auto* const write = at_node<int(void*, const void*, size_t, size_t)>(library, "nrt_tensor_write", node);
    auto* const read = at_node<int(const void*, void*, size_t, size_t)>(library, "nrt_tensor_read", node);
    auto* const free_tensor = at_node<void(void**)>(library, "nrt_tensor_free", node);
    auto* const name_of = at_node<const char*(int)>(library, "nrt_get_status_as_str", node);
    REQUIRE((init && close && allocate && write && read && free_tensor && name_of));

    void* tensor = nullptr;
    char back[8] = {};
    CHECK(init(1, nullptr, nullptr) == 0);
    CHECK(allocate(0, 0, 4096, nullptr, &tensor) == 0);
    CHECK(write(tensor, "by hand", 100, 8) == 0);
    CHECK(read(tensor, back, 100, 8) == 0);
    CHECK(std::strcmp(back, "by hand") == 0);
    CHECK(read(tensor, back, 4096, 8) == 2);
    free_tensor(&tensor);
    CHECK(tensor == nullptr);
    close();
    CHECK(std::strcmp(name_of(allocate(0, 0, 16, nullptr, &tensor)), "NRT_CLOSED") == 0);

    CHECK(::dlvsym(library, "nrt_xtc_print_env", "NRT_XTC_1.0") != nullptr);
    CHECK(::dlvsym(library, "nrt_init", "NRT_3.0.0") == nullptr); // at its own node and no other
    ::dlclose(library);                                           // its threads are gone, its code stays
}
