// SPDX-License-Identifier: ISC
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace xtc::model {

inline constexpr int most_threads = 5; // thread 0 sets up and looks at the end

// How many events of each thread are known. Events of a thread count from 1.
struct Clock {
    std::array<uint16_t, most_threads> at{};

    bool covers(int thread, unsigned number) const { return at[static_cast<size_t>(thread)] >= number; }
    void reach(int thread, unsigned number) {
        at[static_cast<size_t>(thread)] = static_cast<uint16_t>(number);
    }
    void join(const Clock& other) {
        for (size_t i = 0; i < at.size(); ++i) at[i] = std::max(at[i], other.at[i]);
    }
};

} // namespace xtc::model
