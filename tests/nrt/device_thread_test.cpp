// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <atomic>
#include <pthread.h>
#include <string>
#include <thread>

#include "nrt/device_thread.hpp"
#include "support/loops.hpp"

using namespace xtc::nrt;
using namespace xtc::test;

TEST_CASE("A kernel runs on the core's own thread while other fibers of the loop go on",
          "[nrt][device][threads]") {
    DeviceThread device(7);
    struct Kernel {
        std::atomic<bool> may_end{false};
        char name[16] = "";
        std::thread::id thread;
    } kernel;
    bool done = false;
    bool others_ran = false;
    TestLoop loop;
    loop.proc([&] {
        const NRT_STATUS status = device.run(
            [](void* arg) {
                auto& k = *static_cast<Kernel*>(arg);
                ::pthread_getname_np(::pthread_self(), k.name, sizeof k.name);
                k.thread = std::this_thread::get_id();
                while (!k.may_end) std::this_thread::yield();
            },
            &kernel);
        CHECK(status == NRT_SUCCESS);
        done = true;
    });
    loop.proc([&] {
        others_ran = !done;
        kernel.may_end = true;
    });
    loop.run();
    CHECK(done);
    CHECK(others_ran);
    CHECK(std::string(kernel.name) == "nrt-dev/7");
    CHECK(kernel.thread != std::this_thread::get_id());
}

TEST_CASE("Kernels of one core run one after another on one thread", "[nrt][device][threads]") {
    DeviceThread device(0);
    struct Seen {
        int runs = 0;
        std::thread::id first;
        bool same = true;
    } seen;
    TestLoop loop;
    loop.proc([&] {
        for (int i = 0; i < 100; ++i)
            device.run(
                [](void* arg) {
                    auto& s = *static_cast<Seen*>(arg);
                    if (s.runs++ == 0) s.first = std::this_thread::get_id();
                    s.same = s.same && s.first == std::this_thread::get_id();
                },
                &seen);
    });
    loop.run();
    device.stop();
    device.stop(); // again does nothing
    CHECK(seen.runs == 100);
    CHECK(seen.same);
}

TEST_CASE("A core without kernels has no thread to end", "[nrt][device]") {
    DeviceThread device(0);
    device.stop();
    SUCCEED("it ended");
}

TEST_CASE("Ended early, a kernel that has begun ends first and its fiber goes on with its loop",
          "[nrt][device][threads]") {
    DeviceThread device(1);
    struct Kernel {
        std::atomic<bool> has_begun{false};
        std::atomic<bool> may_end{false};
        std::atomic<bool> has_ended{false};
    } kernel;
    bool came_back = false;
    TestLoop loop;
    loop.proc([&] {
        CHECK(device.run(
                  [](void* arg) {
                      auto& k = *static_cast<Kernel*>(arg);
                      k.has_begun = true;
                      while (!k.may_end) std::this_thread::yield();
                      k.has_ended = true;
                  },
                  &kernel) == NRT_SUCCESS);
        came_back = true;
    });
    while (!kernel.has_begun) xtc_loop_step(loop, 0);
    std::thread opener([&] { kernel.may_end = true; });
    device.end_early();
    opener.join();
    CHECK(kernel.has_ended);
    CHECK_FALSE(came_back);
    loop.run();
    CHECK(came_back);
}
