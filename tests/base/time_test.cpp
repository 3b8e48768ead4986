// SPDX-License-Identifier: ISC
#include "base/time.hpp"

#include <xtc.h>

#include <catch2/catch.hpp>

namespace {

struct Virtual {
    int64_t now = 1000;
    int64_t slept = 0;
};

xtc::Clock stand_in_for(Virtual& time) {
    return {
        [](void* self) { return static_cast<Virtual*>(self)->now; },
        [](void* self) { return static_cast<Virtual*>(self)->now + 5; },
        [](void* self, int64_t ns) {
            static_cast<Virtual*>(self)->slept += ns;
            return static_cast<int>(XTC_OK);
        },
        &time,
    };
}

} // namespace

TEST_CASE("time: the monotonic clock does not go back and a sleep is at least as long as asked",
          "[base][time]") {
    const int64_t before = xtc_clock_mono();
    CHECK(xtc_sleep_ns(2'000'000) == XTC_OK);
    CHECK(xtc_clock_mono() - before >= 2'000'000);
    CHECK(xtc_sleep_ns(0) == XTC_OK);
}

TEST_CASE("time: a negative sleep is refused", "[base][time]") {
    CHECK(xtc_sleep_ns(-1) == XTC_E_INVAL);
}

TEST_CASE("time: the real clock is after 2020", "[base][time]") {
    CHECK(xtc_clock_real() > int64_t{1'577'836'800} * 1'000'000'000);
}

TEST_CASE("time: a clock set for the thread answers every question until it is taken away", "[base][time]") {
    Virtual time;
    const xtc::Clock clock = stand_in_for(time);
    const xtc::Clock* before = xtc::set_thread_clock(&clock);
    const int64_t mono = xtc_clock_mono();
    const int64_t real = xtc_clock_real();
    const int slept = xtc_sleep_ns(3'600'000'000'000);
    CHECK(xtc::set_thread_clock(before) == &clock);
    CHECK(mono == 1000);
    CHECK(real == 1005);
    CHECK(slept == XTC_OK);
    CHECK(time.slept == 3'600'000'000'000);
    CHECK(xtc_clock_mono() != 1000);
}
