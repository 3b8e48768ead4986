// SPDX-License-Identifier: ISC
// What the load saw, and its table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace load {

struct Report {
    std::uint64_t answered = 0;
    std::uint64_t left = 0;    // on purpose, in the middle of an answer
    std::uint64_t refused = 0; // 429, tried again later
    std::uint64_t failed = 0;
    std::uint64_t tokens = 0;
    std::int64_t elapsed_ns = 0;
    std::vector<std::int64_t> first_token_ns;
    std::vector<std::int64_t> inter_token_ns;
    double mean_vector = 0;
    std::uint64_t steps = 0;
    std::string prompt; // of the answer shown
    std::string answer;

    double tokens_per_s() const;
    std::string table() const;
    // Shell assignments, for scripts.
    std::string variables() const;
};

// Samples of a page in Prometheus' format, by name and labels.
std::map<std::string, double> read_metrics(std::string_view page);

} // namespace load
