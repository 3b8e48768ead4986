// SPDX-License-Identifier: ISC
#include <xtc.h>

#include "base/thread.hpp"

#include <catch2/catch.hpp>

TEST_CASE("atomics: add returns the value before it", "[base][atomics]") {
    int64_t value = 40;
    CHECK(xtc_atomic_i64_add(&value, 2) == 40);
    CHECK(xtc_atomic_i64_load(&value) == 42);
    CHECK(xtc_atomic_i64_add(&value, -43) == 42);
    CHECK(xtc_atomic_i64_load(&value) == -1);
}

TEST_CASE("atomics: additions from several threads are all counted", "[base][atomics][threads]") {
    constexpr int64_t per_thread = 10'000;
    int64_t value = 0;
    xtc::Thread threads[3];
    int started = 0;
    for (xtc::Thread& thread : threads) {
        started += thread.start(
                       "adder",
                       [](void* sum) {
                           for (int64_t i = 0; i < per_thread; ++i)
                               xtc_atomic_i64_add(static_cast<int64_t*>(sum), 1);
                       },
                       &value) == XTC_OK;
    }
    for (xtc::Thread& thread : threads)
        if (thread.is_started()) thread.join();
    CHECK(started == 3);
    CHECK(xtc_atomic_i64_load(&value) == started * per_thread);
}
