// SPDX-License-Identifier: ISC
// Models loaded and run under seeds: on one thread, under a virtual clock, the same way each time.
#include "nrt/client/packages.hpp"
#include "support/loops.hpp"
#include "support/process_threads.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc.h>
#include <xtc_blocking.h>
#include <xtc_proc.h>
#include <xtc_sim.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

using namespace client;
using namespace xtc::test;

namespace {

// Two loops under a seed, lent to the runtime, which has three cores on them.
class Simulated {
public:
    explicit Simulated(uint64_t seed) : seed_(seed), exec_(2) {
        REQUIRE(nrt_xtc_use_exec(exec_) == NRT_SUCCESS);
    }
    ~Simulated() { CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS); }

    void proc(int loop, std::function<void()> body) { exec_.proc(loop, std::move(body)); }
    int run() { return xtc_sim_exec_run(exec_, seed_, 0); }
    xtc_exec_t* exec() const { return exec_; }
    uint64_t draw(uint64_t bound) {
        uint64_t out = 0;
        CHECK(xtc_sim_rand(exec_, XTC_SIM_RNG_APP, bound, &out) == XTC_OK);
        return out;
    }
    uint64_t trace_hash() { return xtc_sim_trace_hash(exec_); }
    uint64_t state_hash() { return xtc_sim_state_hash(exec_); }

private:
    const Variable quiet_{"NEURON_RT_LOG_LEVEL", "QUIET"};
    const Variable cores_{"XTC_NRT_VNC_COUNT", "3"};
    const Variable queue_{"NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "2"};
    const uint64_t seed_;
    TestExec exec_;
};

constexpr int kClients = 5, kRuns = 12;

// What a client loads, and what a run of it must end with.
struct Kind {
    std::string package;
    NRT_STATUS status;
    bool doubles;
};
const std::vector<Kind> kinds{
    {builtin("copy"), NRT_SUCCESS, false},
    {builtin("scale", R"({"factor":2})", "[32768]"), NRT_SUCCESS, true}, // too big for the loop
    {builtin("sleep", R"({"ns":50000000})"), NRT_SUCCESS, false},
    {builtin("nan"), NRT_EXEC_COMPLETED_WITH_NUM_ERR, false},
    {builtin("fail", R"({"status":1006})"), NRT_EXEC_OOB, false},
};

class Story {
public:
    explicit Story(uint64_t seed) : world_(seed) {
        world_.proc(0, [this] {
            note(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
            ready_ = true;
        });
        for (int i = 0; i < kClients; ++i) world_.proc(i % 2, [this, i] { client(i); });
    }
    int run() { return world_.run(); }

    Simulated world_;
    int wrong = 0, runs = 0, threads = 0;

private:
    void note(NRT_STATUS status, NRT_STATUS expected = NRT_SUCCESS) { wrong += status != expected; }

    void client(int number) {
        while (!ready_) xtc_proc_sleep(kMs);
        const Kind& kind = kinds[world_.draw(kinds.size())];
        nrt_model_t* model = nullptr;
        note(nrt_load(kind.package.data(), kind.package.size(), static_cast<int>(world_.draw(3)), 1, &model));
        {
            const Unary tensors(131072);
            for (int i = 0; i < kRuns; ++i) run_once(tensors, model, kind, number, i);
        }
        note(nrt_unload(model));
        threads = std::max(threads, threads_of_process());
        if (++ended_ == kClients) nrt_close();
    }

    void run_once(const Unary& tensors, nrt_model_t* model, const Kind& kind, int number, int round) {
        const float x[4] = {static_cast<float>(number), static_cast<float>(round), 3, 4};
        float y[4] = {};
        note(nrt_tensor_write(tensors.x, x, 0, sizeof x));
        note(tensors.run(model), kind.status);
        note(nrt_tensor_read(tensors.y, y, 0, sizeof y));
        ++runs;
        if (kind.status != NRT_SUCCESS) return;
        for (int k = 0; k < 4; ++k) wrong += y[k] != (kind.doubles ? 2 : 1) * x[k];
        if (world_.draw(3) == 0) xtc_proc_sleep(static_cast<int64_t>(world_.draw(5)) * kMs);
    }

    bool ready_ = false;
    int ended_ = 0;
};

} // namespace

TEST_CASE("Under every seed clients get what their models compute", "[nrt][sim]") {
    const int threads = threads_of_process();
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Story story(seed);
        INFO("seed " << seed);
        CHECK(story.run() == XTC_OK);
        CHECK(story.wrong == 0);
        CHECK(story.runs == kClients * kRuns);
        CHECK(story.threads == threads); // no thread was made for loops or devices
    }
}

TEST_CASE("The same seed is the same run, another seed another one", "[nrt][sim]") {
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> hashes;
    for (const uint64_t seed : {3, 4, 5, 6, 7}) {
        Story story(seed);
        CHECK(story.run() == XTC_OK);
        hashes[seed] = {story.world_.trace_hash(), story.world_.state_hash()};
    }
    for (const uint64_t seed : {7, 6, 5, 4, 3}) {
        Story story(seed);
        CHECK(story.run() == XTC_OK);
        CHECK(story.world_.trace_hash() == hashes[seed].first);
        CHECK(story.world_.state_hash() == hashes[seed].second);
    }
    CHECK(hashes[3].first != hashes[4].first);
}

TEST_CASE("A kernel of an hour takes an hour of the virtual clock and no time", "[nrt][sim]") {
    Simulated world(1);
    NRT_STATUS ran = NRT_FAILURE;
    int64_t took = 0;
    world.proc(0, [&] {
        if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return;
        {
            const Model slow(builtin("sleep", R"({"ns":3600000000000})"), 1);
            const Unary tensors;
            const int64_t begin = xtc_clock_mono();
            ran = tensors.run(slow);
            took = xtc_clock_mono() - begin;
        }
        nrt_close();
    });
    CHECK(world.run() == XTC_OK);
    CHECK(ran == NRT_SUCCESS);
    CHECK(took >= 3600 * kSecond);
    CHECK(took < 3601 * kSecond);
}

TEST_CASE("A fault of the simulated device poisons its core until the next init", "[nrt][sim]") {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Simulated world(seed);
        std::vector<NRT_STATUS> got;
        world.proc(1, [&] {
            for (int life = 0; life < 2; ++life) {
                got.push_back(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
                {
                    const Model fatal(builtin("fatal", "{}", "[32768]"), 2), copy(builtin("copy"), 2);
                    const Unary small, big(131072);
                    got.push_back(small.run(copy));
                    got.push_back(big.run(fatal));
                    got.push_back(small.run(copy));
                }
                nrt_close();
            }
        });
        CHECK(world.run() == XTC_OK);
        const std::vector<NRT_STATUS> one_life{NRT_SUCCESS, NRT_SUCCESS, NRT_EXEC_HW_ERR_NC_UE,
                                               NRT_EXEC_UNIT_UNRECOVERABLE};
        std::vector<NRT_STATUS> expected = one_life;
        expected.insert(expected.end(), one_life.begin(), one_life.end());
        CHECK(got == expected);
    }
}

TEST_CASE("A closure off the loop may not wait for a run in a simulation", "[nrt][sim]") {
    struct Off {
        nrt_model_t* model;
        const Unary* tensors;
        NRT_STATUS status;
        static int run(void* arg) {
            auto* off = static_cast<Off*>(arg);
            off->status = off->tensors->run(off->model);
            return 0;
        }
    };
    Simulated world(2);
    Off off{nullptr, nullptr, NRT_SUCCESS};
    world.proc(0, [&] {
        if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return;
        {
            const Model copy(builtin("copy"));
            const Unary tensors;
            off = {copy, &tensors, NRT_SUCCESS};
            CHECK(xtc_blocking_run(Off::run, &off, nullptr) == XTC_OK);
            CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 1) == NRT_TIMEOUT); // nothing ran
        }
        nrt_close();
    });
    CHECK(world.run() == XTC_OK);
    CHECK(off.status == NRT_FAILURE);
}

TEST_CASE(
    "A simulated executor may stop at any time: each execution is told its end once, by nrt_close at last",
    "[nrt][sim]") {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        const Variable inflight("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "4");
        Simulated world(seed);
        std::map<uint64_t, int> told;
        int accepted = 0, wrong = 0;
        CHECK(nrt_register_async_exec_callback(
                  [](void* self, uint32_t, uint32_t, uint64_t job, NRT_STATUS) {
                      ++(*static_cast<std::map<uint64_t, int>*>(self))[job];
                  },
                  &told) == NRT_SUCCESS);
        REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
        const Model copy(builtin("copy"), 0), slow(builtin("sleep", R"({"ns":200000})"), 1),
            big(builtin("scale", R"({"factor":2})", "[32768]"), 1);
        const Unary tensors(131072);
        int ended = 0;
        for (int i = 0; i < 6; ++i)
            world.proc(i % 2, [&, i] {
                nrt_model_t* const model = i % 3 == 0 ? copy : i % 3 == 1 ? slow : big;
                NRT_STATUS status = NRT_SUCCESS;
                while ((status = tensors.run(model)) == NRT_SUCCESS) {
                    ++accepted;
                    xtc_proc_sleep(static_cast<int64_t>(world.draw(100)) * 1000);
                }
                wrong += status != NRT_CLOSED && status != NRT_INVALID_HANDLE;
                ++ended;
            });
        world.proc(0, [&] {
            xtc_proc_sleep(static_cast<int64_t>(world.draw(3000)) * 1000);
            CHECK(xtc_exec_stop(world.exec()) == XTC_OK);
        });
        CHECK(world.run() == XTC_OK);
        CHECK(ended == 0);
        nrt_close();
        CHECK(static_cast<int>(told.size()) == accepted);
        CHECK(world.run() == XTC_OK); // those who still slept, or stood in a call, hear of it
        CHECK(ended == 6);
        CHECK(wrong == 0);
        CHECK(std::all_of(told.begin(), told.end(), [](const auto& job) { return job.second == 1; }));
        CHECK(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
    }
}
