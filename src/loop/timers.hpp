// SPDX-License-Identifier: ISC
// Deadlines of one loop: a heap of four-way fan-out with removal at once. Equal deadlines keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xtc {

struct TimerNode {
    static constexpr uint32_t kIdle = UINT32_MAX;

    int64_t deadline = 0;
    uint64_t seq = 0;
    uint32_t pos = kIdle;
    void (*fire)(TimerNode& self) = nullptr; // on the loop's thread; the node is idle by then

    bool armed() const { return pos != kIdle; }
};

class TimerHeap {
public:
    // Room for n nodes in all; false: out of memory. push() needs room and never fails.
    bool reserve(size_t n);
    size_t size() const { return heap_.size(); }
    bool empty() const { return heap_.empty(); }
    TimerNode* top() const { return heap_.front().node; }
    int64_t next_deadline() const { return heap_.empty() ? INT64_MAX : heap_.front().deadline; }

    void push(TimerNode& node, int64_t deadline);
    void remove(TimerNode& node);
    void shift(int64_t by); // all deadlines: time had not begun when they were set
    uint64_t next_seq() const { return next_seq_; }
    bool check() const; // every parent is not later than its children

private:
    struct Entry { // the key beside the pointer: a comparison touches no node
        int64_t deadline;
        uint64_t seq;
        TimerNode* node;
        bool before(const Entry& b) const {
            return deadline != b.deadline ? deadline < b.deadline : seq < b.seq;
        }
    };

    void place(size_t pos, const Entry& e) {
        heap_[pos] = e;
        e.node->pos = static_cast<uint32_t>(pos);
    }
    void sift_up(size_t pos, Entry e);
    void sift_down(size_t pos, Entry e);

    std::vector<Entry> heap_;
    uint64_t next_seq_ = 0;
};

} // namespace xtc
