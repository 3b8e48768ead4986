// SPDX-License-Identifier: ISC
#include "base/time.hpp"

#include <xtc.h>

#include <cerrno>
#include <ctime>
#include <limits>

namespace xtc {

namespace {

constexpr int64_t ns_per_second = 1'000'000'000;

[[gnu::tls_model("initial-exec")]] thread_local const Clock* stand_in = nullptr;

int64_t read_clock(clockid_t id) noexcept {
    timespec now{};
    ::clock_gettime(id, &now);
    return now.tv_sec * ns_per_second + now.tv_nsec;
}

int sleep_until(int64_t deadline) noexcept {
    const timespec at{static_cast<time_t>(deadline / ns_per_second),
                      static_cast<long>(deadline % ns_per_second)};
    int rc = 0;
    do {
        rc = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
    } while (rc == EINTR);
    return rc == 0 ? XTC_OK : XTC_E_INTERNAL;
}

} // namespace

int64_t kernel_mono() noexcept {
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_mono() noexcept {
    const Clock* other = stand_in;
    return other != nullptr ? other->mono(other->self) : kernel_mono();
}

int64_t clock_real() noexcept {
    const Clock* other = stand_in;
    return other != nullptr ? other->real(other->self) : read_clock(CLOCK_REALTIME);
}

int sleep_thread(int64_t ns) noexcept {
    if (ns < 0) return XTC_E_INVAL;
    const Clock* other = stand_in;
    if (other != nullptr) return other->sleep(other->self, ns);
    const int64_t now = read_clock(CLOCK_MONOTONIC);
    constexpr int64_t latest = std::numeric_limits<int64_t>::max();
    return sleep_until(ns > latest - now ? latest : now + ns);
}

const Clock* set_thread_clock(const Clock* clock) noexcept {
    const Clock* before = stand_in;
    stand_in = clock;
    return before;
}

} // namespace xtc

int64_t xtc_clock_mono(void) {
    return xtc::clock_mono();
}

int64_t xtc_clock_real(void) {
    return xtc::clock_real();
}

int xtc_sleep_ns(int64_t ns) {
    return xtc::sleep_thread(ns);
}
