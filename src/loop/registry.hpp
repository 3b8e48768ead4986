// SPDX-License-Identifier: ISC
// Which loops live. A number finds its loop from any thread; a pin keeps the loop from being freed meanwhile.
#pragma once

#include <cstdint>

namespace xtc {

class Loop;

namespace registry {

// 1..kMaxLoops-1, or 0 when all are taken. *gen_base: where the lives of the loop's slots begin, so that
// handles of an earlier loop with the same number stay stale.
uint32_t add(Loop* loop, uint32_t* gen_base);
// Waits until nobody pins it. used: how many lives the busiest slot had.
void remove(uint32_t index, uint32_t used);

Loop* pin(uint32_t index); // nullptr: no such loop (and nothing is pinned)
void unpin(uint32_t index);

// Grows in a forked child: what was made under another epoch belongs to the parent.
uint32_t fork_epoch();

} // namespace registry

// Holds a loop for a scope; converts to false when there is none.
class LoopPin {
public:
    explicit LoopPin(uint32_t index) : index_(index), loop_(registry::pin(index)) {}
    ~LoopPin() {
        if (loop_ != nullptr) registry::unpin(index_);
    }
    LoopPin(const LoopPin&) = delete;
    LoopPin& operator=(const LoopPin&) = delete;
    explicit operator bool() const { return loop_ != nullptr; }
    Loop* operator->() const { return loop_; }
    Loop& operator*() const { return *loop_; }

private:
    uint32_t index_;
    Loop* loop_;
};

} // namespace xtc
