// SPDX-License-Identifier: ISC
// How other threads reach a loop: they push a node, the loop takes all of them at once, oldest first. State
// of a loop changes on its own thread only.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace xtc {

class Loop;

struct InboxNode {
    InboxNode* next = nullptr;
    // Runs on the loop's thread. `drop`: the loop is being freed; release what the node holds.
    void (*run)(Loop& loop, InboxNode& node, bool drop) = nullptr;
};

class Inbox {
public:
    // Any thread. Sequentially consistent: Loop::post reads the sleep word afterwards.
    void push(InboxNode& node) {
        InboxNode* head = head_.load(std::memory_order_relaxed);
        do node.next = head;
        while (
            !head_.compare_exchange_weak(head, &node, std::memory_order_seq_cst, std::memory_order_relaxed));
    }

    bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }
    bool looks_empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }

    // The loop's thread: all nodes, oldest first.
    InboxNode* take_all() {
        InboxNode* newest = head_.exchange(nullptr, std::memory_order_acquire);
        InboxNode* oldest = nullptr;
        while (newest != nullptr) {
            InboxNode* next = newest->next;
            newest->next = oldest;
            oldest = newest;
            newest = next;
        }
        return oldest;
    }

private:
    atomic<InboxNode*> head_{nullptr};
};

} // namespace xtc
