// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

#include <atomic>
#include <thread>
#include <vector>

using namespace client;

namespace {

size_t bytes_used() {
    nrt_vnc_memory_stats_t stats{};
    CHECK(nrt_get_vnc_memory_stats(0, &stats, sizeof stats, nullptr) == NRT_SUCCESS);
    return stats.bytes_used;
}

template <class Body> void on_threads(int count, const Body& body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
    for (auto& thread : threads) thread.join();
}

} // namespace

TEST_CASE("Slices made and freed on many threads leave their memory to the last", "[nrt][tensor][threads]") {
    const Runtime runtime;
    const size_t before = bytes_used();
    std::atomic<int> odd{0};
    {
        const Tensor tensor(4096);
        on_threads(4, [&](int me) {
            for (int i = 0; i < 1000; ++i) {
                nrt_tensor_t* slice = nullptr;
                nrt_tensor_t* inner = nullptr;
                const size_t at = static_cast<size_t>(me) * 1024;
                char out = static_cast<char>(i);
                char back = 0;
                if (nrt_tensor_allocate_slice(tensor, at, 1024, "s", &slice) != NRT_SUCCESS) ++odd;
                if (nrt_tensor_allocate_slice(slice, 1023, 1, "i", &inner) != NRT_SUCCESS) ++odd;
                nrt_tensor_free(&slice);
                if (nrt_tensor_write(inner, &out, 0, 1) != NRT_SUCCESS) ++odd;
                if (nrt_tensor_read(tensor, &back, at + 1023, 1) != NRT_SUCCESS || back != out) ++odd;
                nrt_tensor_free(&inner);
            }
        });
        CHECK(bytes_used() == before + 4096);
    }
    CHECK(odd == 0);
    CHECK(bytes_used() == before);
}

TEST_CASE("A set that many threads fill and read keeps what it has alive", "[nrt][tensor_set][threads]") {
    const Runtime runtime;
    const size_t before = bytes_used();
    std::atomic<int> odd{0};
    nrt_tensor_set_t* set = nullptr;
    REQUIRE(nrt_allocate_tensor_set(&set) == NRT_SUCCESS);
    on_threads(4, [&](int me) {
        const std::string name = "t" + std::to_string(me);
        for (int i = 0; i < 1000; ++i) {
            nrt_tensor_t* tensor = nullptr;
            nrt_tensor_t* found = nullptr;
            if (nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 16, "t", &tensor) != NRT_SUCCESS) ++odd;
            if (nrt_add_tensor_to_tensor_set(set, name.c_str(), tensor) != NRT_SUCCESS) ++odd;
            if (nrt_add_tensor_to_tensor_set(set, "shared", tensor) != NRT_SUCCESS) ++odd;
            nrt_tensor_free(&tensor);
            if (nrt_get_tensor_from_tensor_set(set, name.c_str(), &found) != NRT_SUCCESS) ++odd;
            if (nrt_tensor_get_size(found) != 16) ++odd;
        }
    });
    CHECK(odd == 0);
    CHECK(bytes_used() == before + 4 * 16); // the last one added as "shared" is the last of its thread
    nrt_destroy_tensor_set(&set);
    CHECK(bytes_used() == before);
}

TEST_CASE("A buffer attached while others read: each reads one or the other, whole",
          "[nrt][tensor][threads]") {
    const Runtime runtime;
    const size_t before = bytes_used();
    std::atomic<int> odd{0};
    {
        const Tensor tensor(64);
        CHECK(nrt_tensor_memset(tensor, 0, 'd', 64) == NRT_SUCCESS);
        std::string buffers[2] = {std::string(64, 'x'), std::string(64, 'y')};
        on_threads(4, [&](int me) {
            for (int i = 0; i < 2000; ++i) {
                if (me == 0) {
                    if (nrt_tensor_attach_buffer(tensor, buffers[i % 2].data(), 64) != NRT_SUCCESS) ++odd;
                } else {
                    char back[64];
                    if (nrt_tensor_read(tensor, back, 0, 64) != NRT_SUCCESS) ++odd;
                    if (std::string(back, 64) != std::string(64, back[0])) ++odd;
                }
            }
        });
    }
    CHECK(odd == 0);
    CHECK(bytes_used() == before);
}
