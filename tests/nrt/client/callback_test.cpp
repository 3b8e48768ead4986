// SPDX-License-Identifier: ISC
// Completion callbacks that call the runtime: what queued work waits for must not wait for queued work.
#include "nrt/client/packages.hpp"
#include "support/loops.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_proc.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

using namespace client;
using namespace xtc::test;

namespace {

class Callback {
public:
    explicit Callback(std::function<void(uint32_t core)> body) : body_(std::move(body)) {
        CHECK(nrt_register_async_exec_callback(call, this) == NRT_SUCCESS);
    }
    ~Callback() { CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS); }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

private:
    static void call(void* self, uint32_t, uint32_t core, uint64_t, NRT_STATUS) {
        static_cast<Callback*>(self)->body_(core);
    }
    const std::function<void(uint32_t)> body_;
};

const char kInflight[] = "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS";

} // namespace

// It waited for room there. When callbacks of two cores do that to each other, both waited for ever.
TEST_CASE("A callback that executes on another core whose queue is full is told so",
          "[nrt][async][threads]") {
    const Variable inflight(kInflight, "1");
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const Unary of_0, of_1;
    const Model on_0(builtin("copy"), 0);
    const Model on_1(builtin("copy"), 1);
    std::atomic<bool> full{false}, told{false};
    std::atomic<int> status{NRT_SUCCESS};
    const Callback callback([&](uint32_t core) {
        if (core == 1) {
            full = true;
            while (!told) std::this_thread::yield();
        } else {
            while (!full) std::this_thread::yield();
            status = of_1.run(on_1);
            told = true;
        }
    });
    CHECK(of_1.run(on_1) == NRT_SUCCESS);
    CHECK(of_0.run(on_0) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(1) == NRT_SUCCESS);
    CHECK(status.load() == NRT_QUEUE_FULL);
}

// A read waited for the execution behind it, which waited for the callback.
TEST_CASE("A callback is not made to wait for what is queued behind it", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "2");
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const Unary tensors;
    const Model model(builtin("copy"));
    const Model idle(builtin("copy"), 1);
    std::atomic<bool> queued{false};
    std::atomic<int> calls{0};
    char bytes[16] = {};
    NRT_STATUS read{}, write{}, fill{}, copy{}, unsafe{}, output{}, look{}, drain{}, unload{}, alone{};
    const Callback callback([&](uint32_t) {
        if (calls.fetch_add(1) == 0) {
            while (!queued) std::this_thread::yield();
            read = nrt_tensor_read(tensors.y, bytes, 0, 16);
            write = nrt_tensor_write(tensors.x, bytes, 0, 16);
            fill = nrt_tensor_memset(tensors.y, 0, 1, 16);
            copy = nrt_tensor_copy(tensors.y, 0, tensors.x, 0, 16);
            const nrt_tensor_batch_op_t op{0, 16, bytes};
            const nrt_tensor_batch_t batch{tensors.y, &op, 1};
            unsafe = nrt_tensor_read_batch(&batch, 1, true);
            output = nrt_tensor_check_output_completion(tensors.y, -1, 2);
            look = nrt_tensor_check_output_completion(tensors.y, 0, 2);
            drain = nrt_async_drain_queued_execs(1);
            unload = nrt_unload(idle);
        } else {
            alone = nrt_tensor_read(tensors.y, bytes, 0, 16);
        }
    });
    CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    queued = true;
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(read == NRT_FAILURE);
    CHECK(write == NRT_FAILURE);
    CHECK(fill == NRT_FAILURE);
    CHECK(copy == NRT_FAILURE);
    CHECK(unsafe == NRT_SUCCESS);
    CHECK(output == NRT_FAILURE);
    CHECK(look == NRT_TIMEOUT);
    CHECK(drain == NRT_FAILURE);
    CHECK(unload == NRT_FAILURE);
    CHECK(alone == NRT_SUCCESS);
}

// On the host's executor the thread of a callback is none of the runtime's own, and close waited for it.
TEST_CASE("A callback that closes the runtime is refused, wherever it runs",
          "[nrt][async][host_exec][threads]") {
    const Variable inflight(kInflight, "1");
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    const bool on_host = GENERATE(false, true);
    xtc_exec_t* exec = nullptr;
    std::thread host;
    if (on_host) {
        CHECK(xtc_exec_init(&exec, 1) == XTC_OK);
        xtc_exec_set_service_mode(exec, 1);
        host = std::thread([exec] { xtc_exec_run(exec); });
        CHECK(nrt_xtc_use_exec(exec) == NRT_SUCCESS);
    }
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    {
        const Unary tensors;
        const Model model(builtin("copy"));
        const Callback callback([](uint32_t) { nrt_close(); });
        CHECK(tensors.run(model) == NRT_SUCCESS);
        CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
        CHECK(tensors.run(model) == NRT_SUCCESS); // it is still there
        CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    }
    nrt_close();
    CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS);
    if (!on_host) return;
    xtc_exec_stop(exec);
    host.join();
    CHECK(xtc_exec_fini(exec) == XTC_OK);
}

TEST_CASE("A callback that ends the process it is called on takes nothing with it", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "4");
    const Runtime runtime;
    const Unary tensors;
    Model model(builtin("copy"));
    std::atomic<int> told{0};
    const Callback callback([&](uint32_t) {
        if (told.fetch_add(1) % 2 == 0) xtc_exit_self(1);
    });
    for (int i = 0; i < 10; ++i) CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(told == 10);
    CHECK(nrt_unload(std::exchange(model.handle, nullptr)) == NRT_SUCCESS);
}
