// SPDX-License-Identifier: ISC
#include "loop/registry.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include <pthread.h>
#include <sched.h>

#include "base/assert.hpp"
#include "loop/local.hpp"
#include "loop/loop.hpp"
#include "loop/token.hpp"

namespace xtc::registry {
namespace {

struct alignas(64) Entry {
    std::atomic<Loop*> loop{nullptr};
    std::atomic<uint32_t> pins{0};
    std::atomic<bool> hidden{false};
};

constexpr uint32_t kBlocks = kMaxSlots / kBlockSlots;

Entry g_entries[kMaxLoops];
std::atomic<uint16_t> g_blocks[kMaxLoops]
                              [kBlocks]; // by loop id: the index of the loop that claimed the block
std::mutex g_lock;                       // add, remove and claim only
uint64_t g_gen_base = 0;                 // under g_lock
std::atomic<uint32_t> g_fork_epoch{1};
std::once_flag g_atfork;

void in_child() {
    g_fork_epoch.fetch_add(1, std::memory_order_relaxed);
    set_current_loop(nullptr);
    new (&g_lock) std::mutex; // its holder may be a thread that the child does not have
    for (Entry& e : g_entries) e.pins.store(0, std::memory_order_relaxed);
}

} // namespace

uint32_t add(Loop* loop, uint64_t* gen_base) {
    std::call_once(g_atfork, [] { pthread_atfork(nullptr, nullptr, in_child); });
    std::lock_guard hold(g_lock);
    for (uint32_t i = 1; i < kMaxLoops; ++i) {
        if (g_entries[i].loop.load(std::memory_order_relaxed) != nullptr) continue;
        *gen_base = g_gen_base;
        g_entries[i].loop.store(loop, std::memory_order_seq_cst);
        return i;
    }
    return 0;
}

void hide(uint32_t index) {
    Entry& e = g_entries[index];
    e.hidden.store(true, std::memory_order_seq_cst);
    while (e.pins.load(std::memory_order_seq_cst) != 0) sched_yield();
}

void remove(uint32_t index, uint64_t gen_end) {
    Entry& e = g_entries[index];
    XTC_ASSERT(e.loop.load() != nullptr);
    {
        std::lock_guard hold(g_lock);
        g_gen_base = std::max(g_gen_base, gen_end);
        for (std::atomic<uint16_t>& b : g_blocks[e.loop.load()->loop_id()]) {
            if (b.load(std::memory_order_relaxed) == index) b.store(0, std::memory_order_relaxed);
        }
        e.loop.store(nullptr, std::memory_order_seq_cst);
        e.hidden.store(false, std::memory_order_seq_cst);
    }
    while (e.pins.load(std::memory_order_seq_cst) != 0) sched_yield();
}

int claim_block(uint16_t loop_id, uint32_t index) {
    std::lock_guard hold(g_lock);
    for (uint32_t b = 0; b < kBlocks; ++b) {
        if (g_blocks[loop_id][b].load(std::memory_order_relaxed) != 0) continue;
        g_blocks[loop_id][b].store(static_cast<uint16_t>(index), std::memory_order_release);
        return static_cast<int>(b);
    }
    return -1;
}

uint32_t loop_of(uint16_t loop_id, uint32_t slot) {
    if (loop_id >= kMaxLoops || slot >= kMaxSlots) return 0;
    return g_blocks[loop_id][slot / kBlockSlots].load(std::memory_order_acquire);
}

// Either pin() sees that the loop goes, or hide() and remove() see the pin: all sides are sequentially
// consistent.
Loop* pin(uint32_t index) {
    if (index == 0 || index >= kMaxLoops) return nullptr;
    Entry& e = g_entries[index];
    e.pins.fetch_add(1, std::memory_order_seq_cst);
    const bool goes = e.hidden.load(std::memory_order_seq_cst); // before the pointer: remove() resets it last
    Loop* loop = e.loop.load(std::memory_order_seq_cst);
    if (goes || loop == nullptr || loop->fork_epoch() != fork_epoch()) {
        e.pins.fetch_sub(1, std::memory_order_release);
        return nullptr;
    }
    return loop;
}

void unpin(uint32_t index) {
    g_entries[index].pins.fetch_sub(1, std::memory_order_release);
}

uint32_t fork_epoch() {
    return g_fork_epoch.load(std::memory_order_relaxed);
}

} // namespace xtc::registry
