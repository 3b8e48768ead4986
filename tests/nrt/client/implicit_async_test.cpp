// SPDX-License-Identifier: ISC
// NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS above 0: nrt_execute queues, a callback is told.
#include "nrt/client/packages.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "support/loops.hpp"

using namespace client;

namespace {

constexpr char kInflight[] = "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS";

// What the callback was told.
class Told {
public:
    Told() { CHECK(nrt_register_async_exec_callback(note, this) == NRT_SUCCESS); }
    ~Told() { CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS); }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    struct Event {
        uint32_t model, vnc;
        uint64_t job;
        NRT_STATUS status;
    };
    std::vector<Event> events() const {
        const std::lock_guard hold(lock_);
        return events_;
    }

private:
    static void note(void* self, uint32_t model, uint32_t vnc, uint64_t job, NRT_STATUS status) {
        auto* told = static_cast<Told*>(self);
        const std::lock_guard hold(told->lock_);
        told->events_.push_back({model, vnc, job, status});
    }
    mutable std::mutex lock_;
    std::vector<Event> events_;
};

// A kernel that ends when the test says so: the loop's thread stands in the callback of the one before.
class Gate {
public:
    Gate() { CHECK(nrt_register_async_exec_callback(stand, this) == NRT_SUCCESS); }
    ~Gate() {
        open();
        CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
    }
    void open() { is_open_.store(true), is_open_.notify_all(); }
    int passed() const { return passed_.load(); }

private:
    static void stand(void* self, uint32_t, uint32_t, uint64_t, NRT_STATUS) {
        auto* gate = static_cast<Gate*>(self);
        gate->is_open_.wait(false);
        gate->passed_.fetch_add(1);
    }
    std::atomic<bool> is_open_{false};
    std::atomic<int> passed_{0};
};

} // namespace

TEST_CASE("Executions are told of in the order they were asked for", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "4");
    const Told told;
    const Runtime runtime;
    const Model copy(builtin("copy")), nan(builtin("nan"));
    const Unary tensors;
    for (int i = 0; i < 30; ++i) CHECK(tensors.run(i % 3 == 2 ? nan : copy) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    const auto events = told.events();
    REQUIRE(events.size() == 30);
    CHECK(events[0].model != events[2].model);
    for (size_t i = 0; i < events.size(); ++i) {
        CHECK(events[i].vnc == 0);
        CHECK(events[i].job == events[0].job + i);
        CHECK(events[i].status == (i % 3 == 2 ? NRT_EXEC_COMPLETED_WITH_NUM_ERR : NRT_SUCCESS));
    }
}

TEST_CASE("Host tensors are refused in implicit asynchronous mode", "[nrt][async]") {
    const Variable inflight(kInflight, "2");
    const Told told;
    const Runtime runtime;
    const Model model(builtin("copy"));
    CHECK(Unary(16, NRT_TENSOR_PLACEMENT_HOST).run(model) == NRT_INVALID);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(told.events().empty());
}

TEST_CASE("A caller over the in-flight limit waits until one is complete", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "3");
    Gate gate;
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    std::atomic<int> accepted{0};
    std::thread client([&] {
        for (int i = 0; i < 10; ++i) {
            tensors.run(model);
            accepted.fetch_add(1);
        }
    });
    while (accepted.load() < 3) std::this_thread::yield();
    CHECK(gate.passed() == 0); // three are accepted and none has completed
    gate.open();
    client.join();
    CHECK(accepted.load() == 10);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(gate.passed() == 10);
}

TEST_CASE("A synchronous read waits for the execution that writes the tensor", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "8");
    const Runtime runtime;
    const Model slow(builtin("sleep", R"({"ns":20000000})"));
    const Unary tensors;
    tensors.x.write("seen by the read");
    tensors.y.write("----------------");
    CHECK(tensors.run(slow) == NRT_SUCCESS);
    CHECK(tensors.y.read(0, 16) == "seen by the read");
    CHECK(tensors.run(slow) == NRT_SUCCESS);
    tensors.x.write("after it was run"); // waits for the reader
    CHECK(tensors.y.read(0, 16) == "seen by the read");
}

TEST_CASE("Unload waits for what was queued with the model", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "8");
    const Told told;
    const Runtime runtime;
    const Unary tensors;
    {
        const Model slow(builtin("sleep", R"({"ns":5000000})"));
        for (int i = 0; i < 4; ++i) CHECK(tensors.run(slow) == NRT_SUCCESS);
    }
    CHECK(told.events().size() == 4);
}

TEST_CASE("Close completes what was accepted, and nothing is told after it", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "8");
    const Told told;
    {
        const Runtime runtime;
        const std::string package = builtin("sleep", R"({"ns":3000000})");
        nrt_model_t* model = nullptr;
        REQUIRE(nrt_load(package.data(), package.size(), 0, 1, &model) == NRT_SUCCESS);
        const Unary tensors; // freed before close: the queue holds the memory
        for (int i = 0; i < 8; ++i) CHECK(tensors.run(model) == NRT_SUCCESS);
    }
    CHECK(told.events().size() == 8);
    for (const auto& event : told.events()) CHECK(event.status == NRT_SUCCESS);
}

TEST_CASE("What a queued request uses is let go when it is complete, whatever was freed before",
          "[nrt][async][threads]") {
    const Variable inflight(kInflight, "2");
    const auto used = [] {
        nrt_vnc_memory_stats_t stats{};
        CHECK(nrt_get_vnc_memory_stats(0, &stats, sizeof stats, nullptr) == NRT_SUCCESS);
        return stats.bytes_used;
    };
    Gate gate;
    const Runtime runtime;
    const Model model(builtin("copy"));
    const size_t before = used();
    for (int i = 0; i < 2; ++i) CHECK(Unary().run(model) == NRT_SUCCESS); // sets and tensors are gone
    CHECK(used() >= before + 32); // the one that can not start has both of its tensors
    gate.open();
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(used() == before);
}

TEST_CASE("What is queued behind a fatal fault ends unrecoverable", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "8");
    const Told told;
    const Runtime runtime;
    const Model slow(builtin("sleep", R"({"ns":30000000})")), fatal(builtin("fatal"));
    const Unary tensors;
    CHECK(tensors.run(slow) == NRT_SUCCESS);
    CHECK(tensors.run(fatal) == NRT_SUCCESS);
    CHECK(tensors.run(slow) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(tensors.run(slow) == NRT_EXEC_UNIT_UNRECOVERABLE);
    const auto events = told.events();
    REQUIRE(events.size() == 3);
    CHECK(events[0].status == NRT_SUCCESS);
    CHECK(events[1].status == NRT_EXEC_HW_ERR_NC_UE);
    CHECK(events[2].status == NRT_EXEC_UNIT_UNRECOVERABLE);
}

namespace {

// A callback that uses the runtime, as far as it may.
struct Chain {
    nrt_model_t* model = nullptr;
    const Unary* tensors = nullptr;
    std::atomic<int> left{0};
    std::atomic<int> queue_full{0};
    std::atomic<int> drain{NRT_SUCCESS}, unload{NRT_SUCCESS};

    static void next(void* arg, uint32_t, uint32_t, uint64_t, NRT_STATUS) {
        auto* chain = static_cast<Chain*>(arg);
        chain->drain = nrt_async_drain_queued_execs(0);
        chain->unload = nrt_unload(chain->model);
        if (chain->left.fetch_sub(1) > 0 && chain->tensors->run(chain->model) == NRT_QUEUE_FULL)
            chain->queue_full.fetch_add(1);
    }
};

} // namespace

TEST_CASE("A callback may execute, but not wait for its own core", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "2");
    const Runtime runtime;
    const Unary tensors;
    const Model model(builtin("copy"));
    Chain chain;
    chain.model = model;
    chain.tensors = &tensors;
    chain.left = 5;
    CHECK(nrt_register_async_exec_callback(Chain::next, &chain) == NRT_SUCCESS);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    while (chain.left.load() >= 0) std::this_thread::yield(); // each asks for the next one
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(chain.queue_full.load() == 0);
    CHECK(chain.drain.load() == NRT_FAILURE);
    CHECK(chain.unload.load() == NRT_FAILURE);
    CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
}

TEST_CASE("A callback that finds no room on its own core is told so instead of waiting",
          "[nrt][async][threads]") {
    const Variable inflight(kInflight, "1"); // the one whose callback it is counts until it returns
    const Runtime runtime;
    const Unary tensors;
    const Model model(builtin("copy"));
    Chain chain;
    chain.model = model;
    chain.tensors = &tensors;
    chain.left = 1;
    CHECK(nrt_register_async_exec_callback(Chain::next, &chain) == NRT_SUCCESS);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(chain.queue_full.load() == 1);
    CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
}

TEST_CASE("Repeat queues the count, each told by itself", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "2");
    const Told told;
    const Runtime runtime;
    const Model nan(builtin("nan"));
    const Unary tensors;
    CHECK(nrt_execute_repeat(nan, tensors.in, tensors.out, 5) == NRT_SUCCESS);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(told.events().size() == 5);
}

TEST_CASE("A callback and the count of requests last over close", "[nrt][async][threads]") {
    const Variable inflight(kInflight, "2");
    const Told told;
    for (int life = 0; life < 2; ++life) {
        const Runtime runtime;
        CHECK(Unary().run(Model(builtin("copy"))) == NRT_SUCCESS);
    }
    const auto events = told.events();
    REQUIRE(events.size() == 2);
    CHECK(events[1].job == events[0].job + 1); // an old number stays old
}

TEST_CASE("On a loop's thread outside a fiber an execution is queued as long as there is room",
          "[nrt][async][threads]") {
    const Variable inflight(kInflight, "1");
    Gate gate;
    const Runtime runtime;
    struct Queued {
        const Unary tensors;
        const Model model{builtin("copy")};
        NRT_STATUS first = NRT_FAILURE, second = NRT_FAILURE;
    } queued;
    xtc::test::TestLoop loop;
    REQUIRE(xtc_task_spawn(
                loop,
                [](xtc_task_t*, void* arg) {
                    auto* q = static_cast<Queued*>(arg);
                    q->first = q->tensors.run(q->model);
                    q->second = q->tensors.run(q->model);
                    return XTC_TASK_DONE;
                },
                &queued, nullptr) == XTC_OK);
    loop.run();
    CHECK(queued.first == NRT_SUCCESS);
    CHECK(queued.second == NRT_INVALID);
    gate.open();
    CHECK(nrt_async_drain_queued_execs(0) == NRT_SUCCESS);
    CHECK(gate.passed() == 1);
}

TEST_CASE("Drain knows its cores", "[nrt][async]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    CHECK(nrt_async_drain_queued_execs(1) == NRT_SUCCESS); // nothing was ever queued
    CHECK(nrt_async_drain_queued_execs(2) == NRT_INVALID);
    CHECK(nrt_async_drain_queued_execs(-1) == NRT_INVALID);
}
