// SPDX-License-Identifier: ISC
//
// A fixed number of records that any thread may claim and give back, without a lock.
#pragma once

#include "base/atomic.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace xtc {

// Record has a member `atomic<uint32_t> next_free`.
template <typename Record> class RecordPool {
public:
    bool init(size_t count) {
        records_.reset(new (std::nothrow) Record[count]);
        if (records_ == nullptr) return false;
        for (size_t i = 0; i < count; ++i)
            records_[i].next_free.store(i + 1 < count ? static_cast<uint32_t>(i + 2) : 0,
                                        std::memory_order_relaxed);
        head_.store(count > 0 ? 1 : 0, std::memory_order_relaxed);
        return true;
    }

    // nullptr: all are taken.
    Record* claim() {
        uint64_t head = head_.load(std::memory_order_acquire);
        for (;;) {
            const auto first = static_cast<uint32_t>(head);
            if (first == 0) return nullptr;
            // Somebody may take it meanwhile and change this word; then the tag has moved on too.
            const uint32_t next = records_[first - 1].next_free.load(std::memory_order_relaxed);
            if (head_.compare_exchange_weak(head, tagged(head, next), std::memory_order_acquire))
                return &records_[first - 1];
        }
    }

    void give(Record& record) {
        const auto number = static_cast<uint32_t>(&record - records_.get() + 1);
        uint64_t head = head_.load(std::memory_order_relaxed);
        do record.next_free.store(static_cast<uint32_t>(head), std::memory_order_relaxed);
        while (!head_.compare_exchange_weak(head, tagged(head, number), std::memory_order_release,
                                            std::memory_order_relaxed));
    }

private:
    // The high half counts changes, so that a list that looks the same again is not taken for the same.
    static uint64_t tagged(uint64_t head, uint32_t first) { return ((head >> 32) + 1) << 32 | first; }

    std::unique_ptr<Record[]> records_;
    alignas(64) atomic<uint64_t> head_{0};
};

} // namespace xtc
