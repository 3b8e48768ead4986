// SPDX-License-Identifier: ISC
//
// How other threads reach a group: a ring of reserved places, drained in the order they were reserved, and
// two pools of records. Every place on the ring is backed by a claimed record, and the ring has at least as
// many cells as there are records, so it is never full. Nothing here waits, allocates or locks.
#pragma once

#include "base/atomic.hpp"
#include "batch/member.hpp"
#include "batch/record_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace xtc {

struct SubmitRecord : Member {};

enum class Control : uint8_t { cancel, resume };

struct ControlRecord {
    uint64_t handle = 0;
    Control what = Control::cancel;
};

class HandinRing {
public:
    static constexpr uint64_t kNone = UINT64_MAX;

    static size_t cells_for(size_t records); // a power of two
    bool init(size_t cells);

    // --- any thread
    // The place, or kNone: submits are refused once closed, controls once finished. A place must be
    // published.
    uint64_t reserve_for_submit() { return reserve(kClosed | kFinished); }
    uint64_t reserve_for_control() { return reserve(kFinished); }
    void publish(uint64_t place, const SubmitRecord& r) { store(place, reinterpret_cast<uintptr_t>(&r)); }
    void publish(uint64_t place, const ControlRecord& r) {
        store(place, reinterpret_cast<uintptr_t>(&r) | kIsControl);
    }
    bool is_closed() const { return (tail_.load(std::memory_order_relaxed) & kClosed) != 0; }
    bool is_finished() const { return (tail_.load(std::memory_order_acquire) & kFinished) != 0; }

    // --- the owner loop's thread
    struct Entry {
        SubmitRecord* submit = nullptr;
        ControlRecord* control = nullptr;
    };
    uint64_t end() const { return tail_.load(std::memory_order_acquire) >> kFlagBits; } // reserved so far
    bool has_before(uint64_t end) const { return head_ != end; }
    bool take(Entry* out); // false: its producer has not written it yet
    uint64_t submits_waiting() const;
    void close() { tail_.fetch_or(kClosed, std::memory_order_acq_rel); }
    // Refuses everything from here on; false: something is reserved that has not been taken.
    bool try_finish();

private:
    static constexpr uint64_t kClosed = 1;
    static constexpr uint64_t kFinished = 2;
    static constexpr unsigned kFlagBits = 2;
    static constexpr uintptr_t kIsControl = 1;

    uint64_t reserve(uint64_t refused_by);
    void store(uint64_t place, uintptr_t entry) {
        cells_[place & mask_].store(entry, std::memory_order_release);
    }

    std::unique_ptr<atomic<uintptr_t>[]> cells_; // 0: not written
    uint64_t mask_ = 0;
    alignas(64) atomic<uint64_t> tail_{0}; // place << 2 | finished | closed
    alignas(64) uint64_t head_ = 0;        // the owner loop's
};

struct Handin {
    // Bytes of the ring and both pools. XTC_OK or XTC_E_RANGE.
    static int size_of(size_t queue_cap, size_t* bytes);
    int init(size_t queue_cap);

    HandinRing ring;
    RecordPool<SubmitRecord> submits;
    RecordPool<ControlRecord> controls;
};

} // namespace xtc
