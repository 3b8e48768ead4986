// SPDX-License-Identifier: ISC
#include "nrt/request_ring.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace xtc::nrt;

TEST_CASE("Numbers begin after the last one and requests come out in their order", "[nrt][ring]") {
    RequestRing<int> ring(3, 41);
    CHECK(ring.accepted() == 41);
    CHECK(ring.completed() == 41);
    CHECK(ring.put(7) == 42);
    CHECK(ring.put(8) == 43);
    int got = 0;
    REQUIRE(ring.take(&got));
    CHECK(got == 7);
    CHECK(ring.taken() == 42);
    ring.complete();
    CHECK(ring.completed() == 42);
    REQUIRE(ring.take(&got));
    CHECK(got == 8);
    ring.complete();
    CHECK_FALSE(ring.take(&got));
}

TEST_CASE("The request that runs counts for the bound", "[nrt][ring]") {
    RequestRing<int> ring(2, 0);
    CHECK(ring.put(1) == 1);
    CHECK(ring.put(2) == 2);
    CHECK(ring.is_full());
    CHECK(ring.put(3) == 0);
    int got = 0;
    REQUIRE(ring.take(&got));
    CHECK(ring.put(3) == 0); // taken, but not complete
    ring.complete();
    CHECK_FALSE(ring.is_full());
    CHECK(ring.put(3) == 3);
}

TEST_CASE("A full ring takes no number", "[nrt][ring]") {
    RequestRing<int> ring(1, 0);
    CHECK(ring.put(1) == 1);
    for (int i = 0; i < 5; ++i) CHECK(ring.put(9) == 0);
    int got = 0;
    REQUIRE(ring.take(&got));
    ring.complete();
    CHECK(ring.put(2) == 2);
}

TEST_CASE("Many threads put and nothing is lost, doubled or out of the order of its number",
          "[nrt][ring][threads]") {
    constexpr uint64_t kThreads = 3, kEach = 20000;
    RequestRing<uint64_t> ring(7, 1000);
    std::vector<std::atomic<uint64_t>> number_of(kThreads * kEach);
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (uint64_t i = 0; i < kEach; ++i) {
                const uint64_t request = t * kEach + i;
                uint64_t number = 0;
                while ((number = ring.put(request)) == 0) std::this_thread::yield();
                number_of[request].store(number);
            }
        });
    std::vector<uint64_t> came;
    while (came.size() < kThreads * kEach) {
        uint64_t request = 0;
        if (!ring.take(&request)) {
            std::this_thread::yield();
            continue;
        }
        came.push_back(request);
        ring.complete();
    }
    for (std::thread& thread : threads) thread.join();
    bool in_order = true;
    for (uint64_t i = 0; i < came.size(); ++i) in_order = in_order && number_of[came[i]].load() == 1001 + i;
    CHECK(in_order);
    CHECK(ring.completed() == 1000 + kThreads * kEach);
}
