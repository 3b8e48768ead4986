// SPDX-License-Identifier: ISC
// One way wakes: the waker notes the time, wakes, and waits until the other side has noted its own; then it
// leaves the other side time to go to sleep, or, when that side spins, to begin its next look.
#pragma once

#include <algorithm>
#include <atomic>

#include "sample.hpp"

namespace bench {

class Pace {
public:
    Pace(bool spins, std::uint64_t work) : pause_ns_(spins ? 2'000 : 60'000), work_(work) {
        ways_.reserve(work);
    }

    // The other side, as soon as it runs.
    void arrived() { arrived_at_.store(now_ns(), std::memory_order_release); }

    template <class Wake> void run(Wake wake) {
        const std::uint64_t warm = work_ / 10;
        for (std::uint64_t i = 0; i < work_ + warm; ++i) {
            pause(pause_ns_);
            arrived_at_.store(0, std::memory_order_relaxed);
            const std::int64_t left = now_ns();
            wake();
            std::int64_t there;
            while ((there = arrived_at_.load(std::memory_order_acquire)) == 0) __builtin_ia32_pause();
            if (i >= warm) ways_.push_back(there - left);
        }
        over_.store(true, std::memory_order_release);
    }
    bool is_over() const { return over_.load(std::memory_order_acquire); }

    void print(const char* name, const char* side, const std::string& variant) {
        std::sort(ways_.begin(), ways_.end());
        const auto at = [&](double share) {
            return double(ways_[std::size_t(share * double(ways_.size() - 1))]) / 1e3;
        };
        bench::print(
            {name, side, variant, "us", at(0.5), ways_.size(), ways_.size(), {{"p99_us", at(0.99)}}});
    }

private:
    std::int64_t pause_ns_;
    std::uint64_t work_;
    std::atomic<std::int64_t> arrived_at_{0};
    std::atomic<bool> over_{false};
    std::vector<std::int64_t> ways_;

    static void pause(std::int64_t ns) {
        for (const std::int64_t end = now_ns() + ns; now_ns() < end;) __builtin_ia32_pause();
    }
};

} // namespace bench
