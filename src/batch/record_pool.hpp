// SPDX-License-Identifier: ISC
//
// A fixed number of records that any thread may claim and give back, without a lock.
#pragma once

#include "base/atomic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace xtc {

template <typename Record> class RecordPool {
public:
    static constexpr size_t bytes_each = sizeof(Record) + sizeof(uint32_t);

    bool init(size_t count) {
        records_.reset(new (std::nothrow) Record[count]);
        next_.reset(new (std::nothrow) atomic<uint32_t>[count]);
        if (records_ == nullptr || next_ == nullptr) return false;
        for (size_t i = 0; i < count; ++i)
            next_[i].store(i + 1 < count ? static_cast<uint32_t>(i + 2) : 0, std::memory_order_relaxed);
        head_.store(count > 0 ? 1 : 0, std::memory_order_relaxed);
        keep_at_most_ = static_cast<uint32_t>(std::clamp<size_t>(count / 16, 1, 64));
        return true;
    }

    // nullptr: all are taken.
    Record* claim() {
        uint64_t head = head_.load(std::memory_order_acquire);
        for (;;) {
            const auto first = static_cast<uint32_t>(head);
            if (first == 0) return nullptr;
            // Somebody may take it meanwhile and change this word; then the tag has moved on too.
            const uint32_t next = next_[first - 1].load(std::memory_order_relaxed);
            if (head_.compare_exchange_weak(head, tagged(head, next), std::memory_order_acquire))
                return &records_[first - 1];
        }
    }

    void give(Record& record) {
        const uint32_t number = number_of(record);
        push(number, number);
    }

    // The owner of the group, who gives most of them: many back at once, so that the word all claim from
    // stays quiet. What is kept may be used again from flush() on, or when it has become too much of the
    // pool.
    void give_later(Record& record) {
        const uint32_t number = number_of(record);
        next_[number - 1].store(kept_first_, std::memory_order_relaxed);
        if (kept_first_ == 0) kept_last_ = number;
        kept_first_ = number;
        if (++kept_ >= keep_at_most_) flush();
    }
    void flush() {
        if (kept_first_ == 0) return;
        push(kept_first_, kept_last_);
        kept_first_ = 0;
        kept_ = 0;
    }

private:
    uint32_t number_of(const Record& record) const {
        return static_cast<uint32_t>(&record - records_.get() + 1);
    }
    // A list, from its first to its last.
    void push(uint32_t first, uint32_t last) {
        uint64_t head = head_.load(std::memory_order_relaxed);
        do next_[last - 1].store(static_cast<uint32_t>(head), std::memory_order_relaxed);
        while (!head_.compare_exchange_weak(head, tagged(head, first), std::memory_order_release,
                                            std::memory_order_relaxed));
    }
    // The high half counts changes, so that a list that looks the same again is not taken for the same.
    static uint64_t tagged(uint64_t head, uint32_t first) { return ((head >> 32) + 1) << 32 | first; }

    // The links lie side by side, not in the records: whoever claims one must not wait for the record, which
    // was last written elsewhere, just to learn of the next.
    std::unique_ptr<Record[]> records_;
    std::unique_ptr<atomic<uint32_t>[]> next_;
    uint32_t keep_at_most_ = 1;
    // the owner's
    alignas(64) uint32_t kept_first_ = 0;
    uint32_t kept_last_ = 0;
    uint32_t kept_ = 0;
    // any thread
    alignas(64) atomic<uint64_t> head_{0};
};

} // namespace xtc
