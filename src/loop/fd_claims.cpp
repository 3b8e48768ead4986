// SPDX-License-Identifier: ISC
#include "loop/fd_claims.hpp"

#include <atomic>

namespace xtc::fd_claims {
namespace {

constexpr int kTable =
    1 << 20; // the kernel's default bound; pages that no descriptor reaches are never touched

struct Claim {
    std::atomic<uint16_t> reader{0};
    std::atomic<uint16_t> writer{0};
    std::atomic<uint64_t> watch{0}; // how many << 16 | the loop of all of them, or kSeveral
};
constexpr uint64_t kOneWatcher = 1 << 16;
constexpr uint64_t kSeveral = 0xffff;

Claim g_claims[kTable];

bool is_outside(int fd) {
    return fd < 0 || fd >= kTable;
}

bool take_one(std::atomic<uint16_t>& side, uint32_t loop_index) {
    uint16_t free = 0;
    return side.compare_exchange_strong(free, static_cast<uint16_t>(loop_index), std::memory_order_acq_rel);
}

void watch(Claim& c, uint32_t loop_index) {
    uint64_t old = c.watch.load(std::memory_order_relaxed);
    uint64_t next;
    do {
        const uint64_t who = old == 0 || old % kOneWatcher == loop_index ? loop_index : kSeveral;
        next = (old / kOneWatcher + 1) * kOneWatcher | who;
    } while (!c.watch.compare_exchange_weak(old, next, std::memory_order_acq_rel));
}

void unwatch(Claim& c) {
    uint64_t old = c.watch.load(std::memory_order_relaxed);
    uint64_t next;
    do next = old < 2 * kOneWatcher ? 0 : old - kOneWatcher;
    while (!c.watch.compare_exchange_weak(old, next, std::memory_order_acq_rel));
}

} // namespace

bool take(int fd, uint8_t sides, uint32_t loop_index) {
    if (is_outside(fd)) return true;
    Claim& c = g_claims[fd];
    if (sides & kWatches) {
        watch(c, loop_index);
        return true;
    }
    if ((sides & kReads) && !take_one(c.reader, loop_index)) return false;
    if (!(sides & kWrites) || take_one(c.writer, loop_index)) return true;
    if (sides & kReads) c.reader.store(0, std::memory_order_release);
    return false;
}

void give(int fd, uint8_t sides) {
    if (is_outside(fd)) return;
    if (sides & kWatches) unwatch(g_claims[fd]);
    if (sides & kReads) g_claims[fd].reader.store(0, std::memory_order_release);
    if (sides & kWrites) g_claims[fd].writer.store(0, std::memory_order_release);
}

uint32_t holder(int fd, uint32_t but) {
    if (is_outside(fd)) return 0;
    const uint32_t reader = g_claims[fd].reader.load(std::memory_order_acquire);
    if (reader != 0 && reader != but) return reader;
    const uint32_t writer = g_claims[fd].writer.load(std::memory_order_acquire);
    if (writer != 0 && writer != but) return writer;
    const uint32_t watcher = g_claims[fd].watch.load(std::memory_order_acquire) % kOneWatcher;
    return watcher != but && watcher != kSeveral ? watcher : 0;
}

bool is_watched_by_several(int fd) {
    return !is_outside(fd) && g_claims[fd].watch.load(std::memory_order_acquire) % kOneWatcher == kSeveral;
}

} // namespace xtc::fd_claims
