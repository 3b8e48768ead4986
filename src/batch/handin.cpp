// SPDX-License-Identifier: ISC
#include "batch/handin.hpp"

#include "base/assert.hpp"
#include "batch/sizes.hpp"

#include <xtc.h>

#include <bit>
#include <new>

namespace xtc {

size_t HandinRing::cells_for(size_t records) {
    return std::bit_ceil(records);
}

bool HandinRing::init(size_t cells) {
    cells_.reset(new (std::nothrow) atomic<uintptr_t>[cells]);
    if (cells_ == nullptr) return false;
    for (size_t i = 0; i < cells; ++i) cells_[i].store(0, std::memory_order_relaxed);
    mask_ = cells - 1;
    return true;
}

// Acquire and release both: a producer that comes round to a cell again has, through the producers before it,
// seen the driver empty it.
uint64_t HandinRing::reserve(uint64_t refused_by) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    do
        if ((tail & refused_by) != 0) return kNone;
    while (!tail_.compare_exchange_weak(tail, tail + (uint64_t{1} << kFlagBits), std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
    return tail >> kFlagBits;
}

bool HandinRing::take(Entry* out) {
    atomic<uintptr_t>& cell = cells_[head_ & mask_];
    const uintptr_t entry = cell.load(std::memory_order_acquire);
    if (entry == 0) return false;
    cell.store(0, std::memory_order_relaxed);
    ++head_;
    // Records come from another core, one line each; let some be on their way.
    constexpr uint64_t ahead = 8;
    const uintptr_t later = cells_[(head_ + ahead) & mask_].load(std::memory_order_relaxed);
    __builtin_prefetch(reinterpret_cast<const void*>(later & ~kIsControl), 1);
    *out = {};
    if ((entry & kIsControl) != 0)
        out->control = reinterpret_cast<ControlRecord*>(entry & ~kIsControl);
    else
        out->submit = reinterpret_cast<SubmitRecord*>(entry);
    return true;
}

uint64_t HandinRing::submits_waiting() const {
    uint64_t n = 0;
    for (uint64_t place = head_, last = end(); place != last; ++place) {
        const uintptr_t entry = cells_[place & mask_].load(std::memory_order_relaxed);
        if (entry != 0 && (entry & kIsControl) == 0) ++n;
    }
    return n;
}

bool HandinRing::try_finish() {
    uint64_t expected = head_ << kFlagBits | kClosed;
    if (tail_.compare_exchange_strong(expected, expected | kFinished, std::memory_order_acq_rel)) return true;
    return (expected & kFinished) != 0;
}

int Handin::size_of(size_t queue_cap, size_t* bytes) {
    constexpr HandinSizes<size_t> each = {RecordPool<SubmitRecord>::bytes_each,
                                          RecordPool<ControlRecord>::bytes_each, sizeof(uintptr_t)};
    return handin_bytes(queue_cap, each, bytes);
}

int Handin::init(size_t queue_cap) {
    return ring.init(HandinRing::cells_for(queue_cap * 2)) && submits.init(queue_cap) &&
                   controls.init(queue_cap)
               ? XTC_OK
               : XTC_E_NOMEM;
}

} // namespace xtc
