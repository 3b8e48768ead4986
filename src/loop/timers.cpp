// SPDX-License-Identifier: ISC
#include "loop/timers.hpp"

#include <algorithm>
#include <new>

#include "base/assert.hpp"

namespace xtc {

namespace {
constexpr size_t kWays = 4;
}

bool TimerHeap::reserve(size_t n) {
    if (n <= heap_.capacity()) return true;
    try {
        heap_.reserve(std::max(n, heap_.capacity() * 2));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void TimerHeap::push(TimerNode& node, int64_t deadline) {
    XTC_ASSERT(!node.armed());
    XTC_ASSERT(heap_.size() < heap_.capacity());
    node.deadline = deadline;
    node.seq = next_seq_++;
    Entry e{deadline, node.seq, &node};
    heap_.push_back(e);
    sift_up(heap_.size() - 1, e);
}

void TimerHeap::remove(TimerNode& node) {
    XTC_ASSERT(node.pos < heap_.size() && heap_[node.pos].node == &node);
    size_t pos = node.pos;
    Entry last = heap_.back();
    heap_.pop_back();
    node.pos = TimerNode::kIdle;
    if (last.node == &node) return;
    if (pos > 0 && last.before(heap_[(pos - 1) / kWays]))
        sift_up(pos, last);
    else
        sift_down(pos, last);
}

void TimerHeap::sift_up(size_t pos, Entry e) {
    while (pos > 0) {
        size_t parent = (pos - 1) / kWays;
        if (!e.before(heap_[parent])) break;
        place(pos, heap_[parent]);
        pos = parent;
    }
    place(pos, e);
}

void TimerHeap::sift_down(size_t pos, Entry e) {
    const size_t n = heap_.size();
    for (;;) {
        size_t first = pos * kWays + 1;
        if (first >= n) break;
        size_t best = first;
        for (size_t c = first + 1; c < std::min(first + kWays, n); ++c)
            if (heap_[c].before(heap_[best])) best = c;
        if (!heap_[best].before(e)) break;
        place(pos, heap_[best]);
        pos = best;
    }
    place(pos, e);
}

void TimerHeap::shift(int64_t by) {
    for (Entry& e : heap_) {
        const bool overflows = __builtin_add_overflow(e.deadline, by, &e.deadline);
        if (overflows) e.deadline = INT64_MAX - 1;
        e.node->deadline = e.deadline;
    }
}

bool TimerHeap::check() const {
    for (size_t i = 0; i < heap_.size(); ++i) {
        if (heap_[i].node->pos != i) return false;
        if (i > 0 && heap_[i].before(heap_[(i - 1) / kWays])) return false;
    }
    return true;
}

} // namespace xtc
