// SPDX-License-Identifier: ISC
// nrt_close and nrt_init from several sides at once, from inside a callback, and never at all.
#include "nrt/client/packages.hpp"

#include <atomic>
#include <thread>
#include <vector>

using namespace client;

namespace {

constexpr char kInflight[] = "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS";

// A completion callback that stands until the test lets it go on.
struct Stopper {
    std::atomic<bool> entered{false}, is_open{false}, left{false};
    Stopper() { CHECK(nrt_register_async_exec_callback(stand, this) == NRT_SUCCESS); }
    ~Stopper() { CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS); }

    static void stand(void* self, uint32_t, uint32_t, uint64_t, NRT_STATUS) {
        auto* stopper = static_cast<Stopper*>(self);
        stopper->entered = true;
        while (!stopper->is_open) std::this_thread::yield();
        stopper->left = true;
    }
};

NRT_STATUS state() {
    nrt_tensor_t* tensor = nullptr;
    const NRT_STATUS status = nrt_tensor_allocate_empty("t", &tensor);
    nrt_tensor_free(&tensor);
    return status;
}

void queue_one(const char* package_op, const char* attrs = "{}") {
    const std::string package = builtin(package_op, attrs);
    nrt_model_t* model = nullptr;
    REQUIRE(nrt_load(package.data(), package.size(), 0, 1, &model) == NRT_SUCCESS);
    CHECK(Unary().run(model) == NRT_SUCCESS);
}

} // namespace

TEST_CASE("Threads that init at once all succeed, and find the runtime there", "[nrt][lifecycle][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    for (int life = 0; life < 20; ++life) {
        std::atomic<int> odd{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) ++odd;
                if (state() != NRT_SUCCESS) ++odd;
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(odd == 0);
        nrt_close();
        CHECK(state() == NRT_CLOSED);
    }
}

TEST_CASE("While one thread closes, others are refused, and a second close returns at once",
          "[nrt][lifecycle][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    const Variable inflight(kInflight, "2");
    Stopper stopper;
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    queue_one("copy");
    while (!stopper.entered) std::this_thread::yield();
    std::atomic<bool> closed{false};
    std::thread closer([&] {
        nrt_close();
        closed = true;
    });
    while (state() != NRT_CLOSED) std::this_thread::yield();
    nrt_close();
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_CLOSED);
    CHECK_FALSE(stopper.left); // so the first one is still at it
    CHECK_FALSE(closed);
    stopper.is_open = true;
    closer.join();
    CHECK(stopper.left);
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    nrt_close();
}

TEST_CASE("On a thread of the runtime close does nothing", "[nrt][lifecycle][threads]") {
    const Variable inflight(kInflight, "2");
    const Runtime runtime;
    std::atomic<bool> called{false};
    CHECK(nrt_register_async_exec_callback(
              [](void* flag, uint32_t, uint32_t, uint64_t, NRT_STATUS) {
                  nrt_close();
                  *static_cast<std::atomic<bool>*>(flag) = true;
              },
              &called) == NRT_SUCCESS);
    queue_one("copy");
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(called);
    CHECK(state() == NRT_SUCCESS);
    CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
}

TEST_CASE("fresh: exit with an execution of an hour under way", "[.]") {
    const Variable inflight(kInflight, "2");
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    queue_one("sleep", R"({"ns":3600000000000})");
}
TEST_CASE("A process that exits without close waits for nothing", "[nrt][lifecycle]") {
    CHECK(run_fresh("fresh: exit with an execution of an hour under way") == 0);
}
