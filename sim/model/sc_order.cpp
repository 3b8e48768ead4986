// SPDX-License-Identifier: ISC
#include "sc_order.hpp"

#include "graph.hpp"

namespace xtc::model {

void ScOrder::clear() {
    members_.clear();
    reach_.clear();
    fence_count_ = 0;
}

// "Before" in C++20: A is coherence-ordered before B if it reads or writes an earlier store of the same
// location. A fence stands for whatever happens before it (as B) or after it (as A).
void ScOrder::find_edges(const Graph& graph, const Candidate& e) {
    edges_.clear();
    const int self = static_cast<int>(members_.size());
    const auto each_fence = [this](auto&& found) {
        if (fence_count_ == 0) return;
        for (size_t i = 0; i < members_.size(); ++i)
            if (members_[i].is_fence) found(static_cast<int>(i), members_[i]);
    };
    const auto each_before = [&](const Event& d, auto&& found) { // itself, and fences that happen before it
        if (d.sc >= 0) found(d.sc);
        each_fence([&](int i, const Member& m) {
            if (i != d.sc && d.clock.covers(m.thread, m.number)) found(i);
        });
    };
    const auto each_after = [&](const Event& d, auto&& found) {
        if (d.sc >= 0) found(d.sc);
        each_fence([&](int i, const Member& m) {
            if (i != d.sc && m.clock.covers(d.thread, d.number)) found(i);
        });
    };

    if (e.is_sc)
        // Of each thread the last one, behind which its others are.
        for (size_t i = members_.size(), seen = 0; i-- > 0;) {
            const Member& m = members_[i];
            const size_t its_thread = size_t{1} << m.thread;
            // Strongly happens before: not by its own release alone, but by something after it in its thread.
            if ((seen & its_thread) != 0 ||
                !(m.thread == e.thread || e.before.covers(m.thread, m.number + 1u)))
                continue;
            seen |= its_thread;
            edges_.emplace_back(static_cast<int>(i), self);
        }

    if (e.location >= 0) {
        for (const int d_index : graph.location(e.location).accesses) {
            const Event& d = graph.events()[static_cast<size_t>(d_index)];
            const int rank = graph.rank(d);
            if (rank < e.rank && e.is_sc) each_before(d, [&](int from) { edges_.emplace_back(from, self); });
            if (rank > e.rank)
                each_after(d, [&](int to) {
                    if (e.is_sc) edges_.emplace_back(self, to);
                    each_fence([&](int i, const Member& m) {
                        if (e.clock.covers(m.thread, m.number)) edges_.emplace_back(i, to);
                    });
                });
        }
        return;
    }

    if (!e.is_fence || !e.is_sc) return;
    for (int l = 0; l < graph.location_count(); ++l) {
        const std::vector<int>& accesses = graph.location(l).accesses;
        int last = -1; // of those that happen before the fence
        for (const int i : accesses) {
            const Event& b = graph.events()[static_cast<size_t>(i)];
            if (e.clock.covers(b.thread, b.number)) last = std::max(last, graph.rank(b));
        }
        for (const int i : accesses) {
            const Event& d = graph.events()[static_cast<size_t>(i)];
            if (graph.rank(d) < last) each_before(d, [&](int from) { edges_.emplace_back(from, self); });
        }
    }
}

bool ScOrder::apply(std::vector<Set>& reach) const {
    for (const auto& [from, to] : edges_) {
        const auto a = static_cast<size_t>(from), b = static_cast<size_t>(to);
        if (a == b || reach[b].test(a)) return false;
        if (reach[a].test(b)) continue;
        Set gained = reach[b];
        gained.set(b);
        reach[a].join(gained);
        for (Set& other : reach)
            if (other.test(a)) other.join(gained);
    }
    return true;
}

bool ScOrder::allows(const Graph& graph, const Candidate& e) {
    find_edges(graph, e);
    if (edges_.empty()) return true;
    scratch_ = reach_;
    scratch_.emplace_back();
    return apply(scratch_);
}

int ScOrder::add(const Graph& graph, const Candidate& e, uint16_t number) {
    find_edges(graph, e);
    if (!e.is_sc) {
        apply(reach_);
        return -1;
    }
    reach_.emplace_back();
    members_.push_back({e.thread, number, e.is_fence, e.clock});
    fence_count_ += e.is_fence ? 1 : 0;
    apply(reach_);
    return static_cast<int>(members_.size()) - 1;
}

} // namespace xtc::model
