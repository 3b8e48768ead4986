// SPDX-License-Identifier: ISC
// What the server counts, and its text in Prometheus' format. Counted on any loop, without locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <xtc_batch.h>

namespace serve {

// Durations in buckets of a factor of about three, 0.1 ms to 30 s.
class DurationHistogram {
public:
    void record(std::int64_t ns);
    void append_to(std::string& out, std::string_view name, std::string_view help) const;

private:
    static constexpr std::array<double, 12> bounds_s = {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03,
                                                        0.1,    0.3,    1,     3,     10,   30};
    std::array<std::atomic<std::uint64_t>, bounds_s.size() + 1> counts_ = {};
    std::atomic<std::int64_t> sum_ns_ = 0;
};

struct Metrics {
    std::atomic<std::uint64_t> connections_total = 0;
    std::atomic<std::int64_t> connections = 0;
    std::atomic<std::uint64_t> refused_connections = 0;
    std::array<std::atomic<std::uint64_t>, 6> answers = {}; // by the first digit of the status
    std::atomic<std::uint64_t> overloads = 0;
    std::atomic<std::uint64_t> disconnects = 0;
    std::atomic<std::uint64_t> prompt_tokens = 0;
    std::atomic<std::uint64_t> generated_tokens = 0;
    std::atomic<std::int64_t> slots_in_use = 0;
    std::atomic<std::int64_t> sequences = 0;
    std::atomic<std::uint64_t> max_cancel_steps =
        0; // begun between a client's cancel and the end of its request
    DurationHistogram queue_time;
    DurationHistogram first_token_time;
    DurationHistogram step_time;

    std::string to_text(const xtc_batch_stats_t& group, const xtc_batch_async_stats_t& async) const;
};

} // namespace serve
