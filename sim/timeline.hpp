// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace xtc::sim {

// The virtual clock and what will happen on it. Time moves only when the world says so.
class Timeline {
public:
    static constexpr int64_t never = INT64_MAX;

    // Not zero: a program that takes 0 for "no time" should not be spared.
    explicit Timeline(int64_t start = 1'000'000'000) noexcept : now_(start) {}

    int64_t now() const noexcept { return now_; }
    void advance(int64_t ns) noexcept;
    void advance_to(int64_t time) noexcept;

    // Runs `event` when the clock has reached `time`; events of one time run in the order they were made.
    uint64_t at(int64_t time, std::function<void()> event);
    // False: it has run, or is running.
    bool revoke(uint64_t id);

    int64_t next_time(); // of the earliest event; never if there is none
    bool run_due();      // true: something ran
    size_t pending() const noexcept { return events_.size(); }

private:
    struct Entry {
        int64_t time;
        uint64_t id;
        bool operator>(const Entry& other) const noexcept {
            return time != other.time ? time > other.time : id > other.id;
        }
    };
    void drop_revoked();

    int64_t now_;
    uint64_t last_id_ = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> order_;
    std::unordered_map<uint64_t, std::function<void()>> events_; // looked up, never walked
};

} // namespace xtc::sim
