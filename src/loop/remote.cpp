// SPDX-License-Identifier: ISC
#include "loop/remote.hpp"

#include "base/assert.hpp"
#include "loop/loop.hpp"

namespace xtc {
namespace {

constexpr uint64_t kQueued = uint64_t{1} << 63;
constexpr uint64_t kSpawn = uint64_t{1} << 62;
constexpr uint64_t kNudge = uint64_t{1} << 61;
constexpr uint64_t kWake = uint64_t{1} << 60; // the low bits hold an epoch

bool is_newer(uint32_t a, uint32_t b) {
    return ((a - b) & kEpochMask) < (kEpochMask >> 1);
}

void arrive(Loop& loop, InboxNode& node, bool drop) {
    Task& t = *static_cast<Task::RemoteNode&>(node).task;
    // Taking the word lets the node be pushed again, so read nothing from the node after this.
    const uint64_t asked = t.remote.exchange(0, std::memory_order_acq_rel);
    XTC_ASSERT(asked & kQueued);
    if (asked & kSpawn) loop.spawn_arrived(t, drop);
    if (drop) return;
    if (asked & kNudge) loop.nudge(t);
    if (asked & kWake) loop.wake_task(t, static_cast<uint32_t>(asked) & kEpochMask);
}

void ask(Task& t, uint64_t what, uint32_t epoch) {
    uint64_t seen = t.remote.load(std::memory_order_relaxed);
    uint64_t next;
    do {
        next = seen | kQueued | what;
        // Of two epochs the older one names a sleep that is over.
        if ((what & kWake) && (!(seen & kWake) || is_newer(epoch, static_cast<uint32_t>(seen) & kEpochMask)))
            next = (next & ~uint64_t{kEpochMask}) | epoch;
    } while (
        !t.remote.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (seen & kQueued) return;
    t.node.task = &t;
    t.node.run = arrive;
    t.loop->post(t.node);
}

} // namespace

void remote_wake(Task& t, uint32_t epoch) {
    ask(t, kWake, epoch);
}
void remote_nudge(Task& t) {
    ask(t, kNudge, 0);
}
void remote_spawn(Task& t) {
    ask(t, kSpawn, 0);
}

void nudge_from_anywhere(Task& t) {
    if (current_loop() == t.loop)
        t.loop->nudge(t);
    else
        remote_nudge(t);
}

} // namespace xtc
