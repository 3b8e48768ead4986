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
};
Claim g_claims[kTable];

bool is_outside(int fd) {
    return fd < 0 || fd >= kTable;
}

bool take_one(std::atomic<uint16_t>& side, uint32_t loop_index) {
    uint16_t free = 0;
    return side.compare_exchange_strong(free, static_cast<uint16_t>(loop_index), std::memory_order_acq_rel);
}

} // namespace

bool take(int fd, uint8_t sides, uint32_t loop_index) {
    if (is_outside(fd)) return true;
    Claim& c = g_claims[fd];
    if ((sides & kReads) && !take_one(c.reader, loop_index)) return false;
    if (!(sides & kWrites) || take_one(c.writer, loop_index)) return true;
    if (sides & kReads) c.reader.store(0, std::memory_order_release);
    return false;
}

void give(int fd, uint8_t sides) {
    if (is_outside(fd)) return;
    if (sides & kReads) g_claims[fd].reader.store(0, std::memory_order_release);
    if (sides & kWrites) g_claims[fd].writer.store(0, std::memory_order_release);
}

uint32_t holder(int fd, uint32_t but) {
    if (is_outside(fd)) return 0;
    const uint32_t reader = g_claims[fd].reader.load(std::memory_order_acquire);
    if (reader != 0 && reader != but) return reader;
    const uint32_t writer = g_claims[fd].writer.load(std::memory_order_acquire);
    return writer != but ? writer : 0;
}

} // namespace xtc::fd_claims
