// SPDX-License-Identifier: ISC
#include "loop/registry.hpp"

#include <atomic>
#include <mutex>

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
    uint32_t gen_base = 0; // under g_lock
};

Entry g_entries[kMaxLoops];
std::mutex g_lock; // add and remove only
std::atomic<uint32_t> g_fork_epoch{1};
std::once_flag g_atfork;

void in_child() {
    g_fork_epoch.fetch_add(1, std::memory_order_relaxed);
    set_current_loop(nullptr);
    new (&g_lock) std::mutex; // its holder may be a thread that the child does not have
    for (Entry& e : g_entries) e.pins.store(0, std::memory_order_relaxed);
}

} // namespace

uint32_t add(Loop* loop, uint32_t* gen_base) {
    std::call_once(g_atfork, [] { pthread_atfork(nullptr, nullptr, in_child); });
    std::lock_guard hold(g_lock);
    for (uint32_t i = 1; i < kMaxLoops; ++i) {
        if (g_entries[i].loop.load(std::memory_order_relaxed) != nullptr) continue;
        *gen_base = g_entries[i].gen_base;
        g_entries[i].loop.store(loop, std::memory_order_seq_cst);
        return i;
    }
    return 0;
}

void remove(uint32_t index, uint32_t used) {
    Entry& e = g_entries[index];
    XTC_ASSERT(e.loop.load() != nullptr);
    {
        std::lock_guard hold(g_lock);
        e.gen_base = (e.gen_base + used + 1) & kGenMask;
        e.loop.store(nullptr, std::memory_order_seq_cst);
    }
    while (e.pins.load(std::memory_order_seq_cst) != 0) sched_yield();
}

// Either pin() sees the null pointer, or remove() sees the pin: both sides are sequentially consistent.
Loop* pin(uint32_t index) {
    if (index == 0 || index >= kMaxLoops) return nullptr;
    Entry& e = g_entries[index];
    e.pins.fetch_add(1, std::memory_order_seq_cst);
    Loop* loop = e.loop.load(std::memory_order_seq_cst);
    if (loop == nullptr || loop->fork_epoch() != fork_epoch()) {
        e.pins.fetch_sub(1, std::memory_order_release);
        return nullptr;
    }
    return loop;
}

void unpin(uint32_t index) { g_entries[index].pins.fetch_sub(1, std::memory_order_release); }

uint32_t fork_epoch() { return g_fork_epoch.load(std::memory_order_relaxed); }

} // namespace xtc::registry
