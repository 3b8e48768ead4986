// SPDX-License-Identifier: ISC
// Which loops live. A number finds its loop from any thread; a pin keeps the loop from being freed meanwhile.
#pragma once

#include <cstdint>

namespace xtc {

class Loop;

namespace registry {

// 1..kMaxLoops-1, or 0 when all are taken. *gen_base: where the lives of the loop's slots begin, so that
// handles of an earlier loop with the same numbers stay stale.
uint32_t add(Loop* loop, uint64_t* gen_base);
// Nobody pins it from here on; waits until nobody does. Its number stays its own until remove().
void hide(uint32_t index);
// Waits until nobody pins it. gen_end: above all lives that any of its slots had.
void remove(uint32_t index, uint64_t gen_end);

// Loops that share a loop id (several executors, standalone loops) share its slot numbers: each claims them
// in blocks, so that a pid names one loop.
inline constexpr uint32_t kBlockSlots = 4096;
int claim_block(uint16_t loop_id, uint32_t index); // the block's number, or -1
uint32_t loop_of(uint16_t loop_id, uint32_t slot); // 0: nobody's

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
