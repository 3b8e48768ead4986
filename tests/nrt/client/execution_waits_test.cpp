// SPDX-License-Identifier: ISC
// Who waits for an execution, and how: threads block, fibers park, others are refused.
#include "nrt/client/native_package.hpp"
#include "support/loops.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_exec.h>
#include <xtc_proc.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using namespace client;
using namespace xtc::test;

namespace {

const std::string kSlow = builtin("sleep", R"({"ns":10000000})");

} // namespace

TEST_CASE("More threads than the queue has places all get their answer", "[nrt][execute][threads]") {
    const Variable queue("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "2");
    const Runtime runtime;
    const Model light(builtin("scale", R"({"factor":2})")),
        heavy(builtin("scale", R"({"factor":2})", "[65536]"));
    constexpr int kThreads = 6, kRuns = 100;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<Unary>> tensors;
    for (int t = 0; t < kThreads; ++t) tensors.push_back(std::make_unique<Unary>(t % 2 == 0 ? 16 : 262144));
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            nrt_model_t* const model = t % 2 == 0 ? light : heavy;
            for (int i = 0; i < kRuns; ++i) {
                float x[4] = {static_cast<float>(t), static_cast<float>(i), 3, 4}, y[4] = {};
                bool right = nrt_tensor_write(tensors[t]->x, x, 0, sizeof x) == NRT_SUCCESS;
                right = right && nrt_execute(model, tensors[t]->in, tensors[t]->out) == NRT_SUCCESS;
                right = right && nrt_tensor_read(tensors[t]->y, y, 0, sizeof y) == NRT_SUCCESS;
                for (int k = 0; k < 4; ++k) right = right && y[k] == 2 * x[k];
                if (!right) wrong.fetch_add(1);
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong.load() == 0);
}

TEST_CASE("Cores run beside each other", "[nrt][execute][threads]") {
    constexpr int kCores = 4;
    const Variable cores("XTC_NRT_VNC_COUNT", "4");
    const Runtime runtime;
    std::vector<std::unique_ptr<Model>> models;
    std::vector<std::unique_ptr<Unary>> tensors;
    std::vector<std::thread> threads;
    std::atomic<int> come{0}, wrong{0};
    const uint64_t meeting[2] = {reinterpret_cast<uint64_t>(&come), kCores};
    const std::string package = native("meet", "[2]", "uint64");
    for (int core = 0; core < kCores; ++core) {
        models.push_back(std::make_unique<Model>(package, core));
        tensors.push_back(std::make_unique<Unary>());
        tensors.back()->x.write({reinterpret_cast<const char*>(meeting), sizeof meeting});
    }
    for (int core = 0; core < kCores; ++core)
        threads.emplace_back([&, core] { wrong += tensors[core]->run(*models[core]) != NRT_SUCCESS; });
    for (std::thread& thread : threads) thread.join(); // one after the other they would wait for ever
    CHECK(wrong.load() == 0);
    CHECK(come.load() == kCores);
}

TEST_CASE("Who finds no room in time is told so", "[nrt][execute][threads]") {
    const Variable queue("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "1");
    const Variable patience("NEURON_RT_EXEC_TIMEOUT", "1");
    const Runtime runtime;
    const Model slow(builtin("sleep", R"({"ns":1500000000})"));
    const Unary first, second;
    NRT_STATUS of_first = NRT_FAILURE, of_second = NRT_FAILURE;
    std::thread a([&] { of_first = first.run(slow); });
    std::thread b([&] { of_second = second.run(slow); });
    a.join();
    b.join();
    const bool one_of_each = (of_first == NRT_SUCCESS && of_second == NRT_TIMEOUT) ||
                             (of_first == NRT_TIMEOUT && of_second == NRT_SUCCESS);
    CHECK(one_of_each);
}

TEST_CASE("A fiber parks while its model runs, and its loop goes on", "[nrt][execute][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    TestExec exec(2);
    const Lent lent(exec);
    NRT_STATUS opened = NRT_FAILURE, ran = NRT_FAILURE, unloaded = NRT_FAILURE;
    bool is_done = false;
    int turns_meanwhile = 0;
    std::string answer;
    exec.proc(0, [&] {
        opened = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
        {
            Model slow(kSlow, 0);
            const Unary tensors;
            answer = tensors.run_on(slow, "from the fiber..");
            ran = tensors.run(slow);
            unloaded = nrt_unload(std::exchange(slow.handle, nullptr));
        }
        nrt_close();
        is_done = true;
    });
    exec.proc(0, [&] {
        while (!is_done) {
            xtc_proc_sleep(kMs);
            ++turns_meanwhile;
        }
    });
    exec.run();
    CHECK(opened == NRT_SUCCESS);
    CHECK(answer == "from the fiber..");
    CHECK(ran == NRT_SUCCESS);
    CHECK(unloaded == NRT_SUCCESS);
    CHECK(turns_meanwhile > 3);
}

namespace {

struct Refused {
    nrt_model_t* model = nullptr;
    const Unary* tensors = nullptr;
    std::string package = builtin("copy");
    NRT_STATUS execute = NRT_SUCCESS, load = NRT_SUCCESS, unload = NRT_SUCCESS;

    static int task(xtc_task_t*, void* arg) {
        auto* self = static_cast<Refused*>(arg);
        nrt_model_t* loaded = nullptr;
        self->execute = self->tensors->run(self->model);
        self->load = nrt_load(self->package.data(), self->package.size(), 0, 1, &loaded);
        self->unload = nrt_unload(self->model);
        return XTC_TASK_DONE;
    }
};

} // namespace

TEST_CASE("On a loop's thread outside a fiber, calls that wait are refused and do nothing",
          "[nrt][execute][threads]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    Refused refused;
    refused.model = model;
    refused.tensors = &tensors;
    TestLoop loop;
    REQUIRE(xtc_task_spawn(loop, Refused::task, &refused, nullptr) == XTC_OK);
    loop.run();
    CHECK(refused.execute == NRT_INVALID);
    CHECK(refused.load == NRT_INVALID);
    CHECK(refused.unload == NRT_INVALID);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 1) == NRT_TIMEOUT);
    CHECK(tensors.run(model) == NRT_SUCCESS); // it is still loaded
}

TEST_CASE("A fiber that is killed while its model runs leaves when the run is over",
          "[nrt][execute][threads]") {
    const Runtime runtime;
    const Model slow(builtin("sleep", R"({"ns":50000000})"));
    const Unary tensors;
    TestLoop loop;
    bool survived = false;
    const xtc_pid_t victim = loop.proc([&] {
        tensors.run(slow);
        survived = true;
    });
    loop.proc([&] {
        xtc_proc_sleep(5 * kMs);
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
    });
    loop.run();
    CHECK_FALSE(survived);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 1) == NRT_SUCCESS); // it was complete when he left
}

TEST_CASE("Executions and unloads of many models race cleanly", "[nrt][execute][threads]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const std::string package = builtin("copy");
    std::atomic<nrt_model_t*> current{nullptr};
    std::atomic<bool> stop{false};
    std::atomic<int> strange{0}, runs{0};
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<Unary>> tensors;
    for (int t = 0; t < 3; ++t) tensors.push_back(std::make_unique<Unary>());
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            while (!stop.load()) {
                nrt_model_t* const model = current.load();
                if (model == nullptr) continue;
                const NRT_STATUS status = tensors[t]->run(model);
                if (status == NRT_SUCCESS) runs.fetch_add(1);
                if (status != NRT_SUCCESS && status != NRT_INVALID_HANDLE) strange.fetch_add(1);
            }
        });
    for (int round = 0; round < 200 || runs.load() < 50; ++round) {
        nrt_model_t* next = nullptr;
        REQUIRE(nrt_load(package.data(), package.size(), -1, -1, &next) == NRT_SUCCESS);
        nrt_model_t* const before = current.exchange(next);
        if (before != nullptr) CHECK(nrt_unload(before) == NRT_SUCCESS);
    }
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    CHECK(nrt_unload(current.load()) == NRT_SUCCESS);
    CHECK(strange.load() == 0);
}
