// SPDX-License-Identifier: ISC
// A host that stops its loops, or ends them, while the runtime lives on them.
#include "nrt/client/packages.hpp"
#include "support/loops.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_exec.h>
#include <xtc_proc.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace client;
using namespace xtc::test;

namespace {

const std::string kLight = builtin("copy");
const std::string kHeavy = builtin("sleep", R"({"ns":20000000})");

// An executor in service mode that the runtime was lent, run by a thread until it is halted.
class Host {
public:
    explicit Host(int loops) : exec_(std::make_unique<TestExec>(loops)) {
        xtc_exec_set_service_mode(*exec_, 1);
        CHECK(nrt_xtc_use_exec(*exec_) == NRT_SUCCESS);
        CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    }
    ~Host() {
        nrt_close();
        halt();
        CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    void go() {
        runner_ = std::thread([this] { exec_->run(); });
    }
    void halt() {
        if (!runner_.joinable()) return;
        CHECK(xtc_exec_stop(*exec_) == XTC_OK);
        runner_.join();
    }
    // Runs until nothing is left on the loops.
    void run_to_the_end() {
        xtc_exec_set_service_mode(*exec_, 0);
        exec_->run();
    }
    void end() { exec_.reset(); }
    void proc(int loop, std::function<void()> body) { exec_->proc(loop, std::move(body)); }

private:
    const Variable quiet_{"NEURON_RT_LOG_LEVEL", "QUIET"};
    std::unique_ptr<TestExec> exec_;
    std::thread runner_;
};

// What the completion callback was told.
class Told {
public:
    Told() { CHECK(nrt_register_async_exec_callback(tell, this) == NRT_SUCCESS); }
    ~Told() { CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS); }

    std::vector<NRT_STATUS> statuses; // by the worker, then by who closes
    std::vector<uint64_t> jobs;
    std::function<void()> then;

private:
    static void tell(void* self, uint32_t, uint32_t, uint64_t job, NRT_STATUS status) {
        auto* told = static_cast<Told*>(self);
        told->statuses.push_back(status);
        told->jobs.push_back(job);
        if (told->then) told->then();
    }
};

void await(const std::atomic<int>& count, int at_least) {
    while (count < at_least) std::this_thread::yield();
}

} // namespace

TEST_CASE("nrt_close on a host executor that was stopped ends what is queued with NRT_CLOSED",
          "[nrt][host_exec][threads]") {
    const Variable inflight("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "8");
    Host host(1);
    Told told;
    const Model heavy(kHeavy), light(kLight);
    const Unary tensors;
    std::atomic<int> ended{0};
    told.then = [&] { ++ended; };
    host.go();
    CHECK(tensors.run(light) == NRT_SUCCESS); // the worker is there
    await(ended, 1);
    CHECK(tensors.run(heavy) == NRT_SUCCESS);
    for (int i = 0; i < 3; ++i) CHECK(tensors.run(light) == NRT_SUCCESS);
    host.halt();
    const size_t before = told.statuses.size(); // the heavy one may be through on a slow machine
    nrt_close();
    REQUIRE(told.statuses.size() == 5);
    for (size_t i = 0; i < told.statuses.size(); ++i) {
        INFO(i);
        // A kernel that has begun ends as it ends.
        const bool is_own = told.statuses[i] == NRT_SUCCESS;
        CHECK((is_own || told.statuses[i] == NRT_CLOSED));
        if (i > before) CHECK_FALSE(is_own);
        if (i > 0) CHECK(told.jobs[i] == told.jobs[i - 1] + 1);
    }
    CHECK(tensors.run(light) == NRT_CLOSED);
}

TEST_CASE("A host executor that never ran is as good as stopped", "[nrt][host_exec][threads]") {
    Host host(2);
    const Model light(kLight), heavy(kHeavy);
    const Unary of_first, of_second;
    std::atomic<int> begun{0};
    NRT_STATUS first = NRT_SUCCESS, second = NRT_SUCCESS;
    std::thread a([&] {
        ++begun;
        first = of_first.run(light);
    });
    std::thread b([&] {
        ++begun;
        second = of_second.run(heavy);
    });
    await(begun, 2);
    nrt_close();
    a.join();
    b.join();
    CHECK(first == NRT_CLOSED);
    CHECK(second == NRT_CLOSED);
    host.run_to_the_end(); // the workers, begun now, find nothing to do and go
}

TEST_CASE("A fiber that was parked in a call when its executor stopped hears NRT_CLOSED when it goes on",
          "[nrt][host_exec][threads]") {
    const bool is_heavy = GENERATE(false, true);
    Host host(1);
    const Model model(is_heavy ? kHeavy : kLight);
    const Unary tensors;
    std::atomic<int> begun{0};
    std::vector<NRT_STATUS> heard;
    for (int i = 0; i < 3; ++i)
        host.proc(0, [&] {
            ++begun;
            heard.push_back(nrt_execute_repeat(model, tensors.in, tensors.out, 1'000'000));
        });
    host.go();
    await(begun, 3);
    host.halt();
    CHECK(heard.empty());
    nrt_close();
    CHECK(tensors.run(model) == NRT_CLOSED);
    CHECK(heard.empty());
    host.run_to_the_end();
    CHECK(heard == std::vector<NRT_STATUS>(3, NRT_CLOSED));
}

TEST_CASE("nrt_close that waits for a host executor sees it stop", "[nrt][host_exec][threads]") {
    const Variable inflight("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "8");
    Host host(1);
    Told told;
    const Model heavy(builtin("sleep", R"({"ns":100000000})"));
    const Unary tensors;
    for (int i = 0; i < 8; ++i) CHECK(tensors.run(heavy) == NRT_SUCCESS);
    host.go();
    std::thread closer([] { nrt_close(); });
    nrt_tensor_t* none = nullptr;
    while (nrt_tensor_allocate_empty("t", &none) != NRT_CLOSED) nrt_tensor_free(&none);
    host.halt();
    closer.join();
    REQUIRE(told.statuses.size() == 8);
    CHECK(told.statuses.back() == NRT_CLOSED);
}

TEST_CASE("Loops that end under fibers inside calls leave nothing for nrt_close to wait for",
          "[nrt][host_exec][threads]") {
    const bool is_hosts = GENERATE(true, false);
    Host host(2);
    auto other = std::make_unique<TestExec>(1);
    std::thread other_runner;
    const Model heavy(kHeavy), light(kLight);
    const Unary tensors;
    std::atomic<int> begun{0};
    int came_back = 0;
    const auto story = [&] {
        ++begun;
        while (nrt_execute(heavy, tensors.in, tensors.out) != NRT_CLOSED)
            ;
        ++came_back;
    };
    const auto unload = [&] {
        ++begun;
        while (nrt_execute(light, tensors.in, tensors.out) != NRT_CLOSED)
            ;
        ++came_back;
    };
    if (is_hosts) {
        host.proc(0, story);
        host.proc(1, unload);
    } else {
        other->proc(0, story);
        other->proc(0, unload);
        other_runner = std::thread([&] { other->run(); });
    }
    host.go();
    await(begun, 2);
    if (is_hosts) {
        host.halt();
        host.end();
    } else {
        CHECK(xtc_exec_stop(*other) == XTC_OK);
        other_runner.join();
        other.reset();
        CHECK(tensors.run(light) == NRT_SUCCESS); // behind what the lost ones had queued
    }
    nrt_close();
    CHECK(came_back == 0);
}

TEST_CASE("An execution whose caller is gone with its loop keeps no model loaded",
          "[nrt][host_exec][threads]") {
    Host host(1);
    host.go();
    Model heavy(kHeavy);
    const Unary tensors;
    for (int i = 0; i < 5; ++i) {
        TestExec other(1);
        std::atomic<int> begun{0};
        other.proc(0, [&] {
            ++begun;
            (void)tensors.run(heavy);
        });
        std::thread stopper([&] {
            await(begun, 1);
            CHECK(xtc_exec_stop(other) == XTC_OK);
        });
        other.run();
        stopper.join();
    }
    CHECK(nrt_unload(std::exchange(heavy.handle, nullptr)) == NRT_SUCCESS);
}

TEST_CASE("A callback that waits when the executor stops is not called again for the same job",
          "[nrt][host_exec][threads]") {
    const Variable inflight("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "8");
    Host host(1);
    Told told;
    std::atomic<int> entered{0};
    told.then = [&] {
        if (entered.fetch_add(1) == 0) xtc_proc_sleep(kSecond * 3600);
    };
    const Model light(kLight);
    const Unary tensors;
    for (int i = 0; i < 3; ++i) CHECK(tensors.run(light) == NRT_SUCCESS);
    host.go();
    await(entered, 1);
    host.halt();
    nrt_close();
    CHECK(told.statuses == std::vector<NRT_STATUS>{NRT_SUCCESS, NRT_CLOSED, NRT_CLOSED});
}

TEST_CASE("After a close on a stopped executor a new life begins on it", "[nrt][host_exec][threads]") {
    Host host(1);
    std::atomic<int> begun{0};
    NRT_STATUS of_first_life = NRT_SUCCESS;
    const auto first = std::make_unique<Unary>();
    const auto model = std::make_unique<Model>(kHeavy);
    host.proc(0, [&] {
        ++begun;
        while ((of_first_life = first->run(*model)) == NRT_SUCCESS)
            ;
    });
    host.go();
    await(begun, 1);
    host.halt();
    nrt_close();
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    host.go();
    const Model again(kLight);
    const Unary second;
    CHECK(second.run_on(again, "a second life..") == "a second life..");
    nrt_close();
    host.halt();
    // It was told, or had its answer and then asked the new life for the model of the old one.
    CHECK((of_first_life == NRT_CLOSED || of_first_life == NRT_INVALID_HANDLE));
}
