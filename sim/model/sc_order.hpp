// SPDX-License-Identifier: ISC
// Is there one total order of the sequentially consistent operations and fences that C++20 asks for
// ([atomics.order]/4)? There is if what has to come before what has no cycle.
#pragma once

#include "clock.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace xtc::model {

class Graph;

class ScOrder {
public:
    static constexpr size_t most = 128; // in one execution

    // An event that is about to be added.
    struct Candidate {
        int thread = 0;
        bool is_sc = false;
        bool is_fence = false;
        int location = -1;
        int rank = 0; // as Graph::rank
        Clock before;
        Clock clock;
    };

    void clear();
    bool is_empty() const { return members_.empty(); }
    bool is_full() const { return members_.size() + 4 > most; }
    bool has_fences() const { return fence_count_ != 0; }
    bool allows(const Graph& graph, const Candidate& e);
    // Its number, or -1 if it is not sequentially consistent. `number`: of the event in its thread.
    int add(const Graph& graph, const Candidate& e, uint16_t number);

private:
    struct Member {
        int thread;
        uint16_t number;
        bool is_fence;
        Clock clock;
    };
    struct Set {
        std::array<uint64_t, most / 64> words{};
        bool test(size_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }
        void set(size_t i) { words[i / 64] |= uint64_t{1} << (i % 64); }
        void join(const Set& other) {
            for (size_t w = 0; w < words.size(); ++w) words[w] |= other.words[w];
        }
    };

    void find_edges(const Graph& graph, const Candidate& e);
    bool apply(std::vector<Set>& reach) const; // false: a cycle

    std::vector<Member> members_;
    std::vector<Set> reach_; // what comes after each
    size_t fence_count_ = 0;
    std::vector<std::pair<int, int>> edges_; // those that the candidate brings
    std::vector<Set> scratch_;
};

} // namespace xtc::model
