// SPDX-License-Identifier: ISC
// A bounded queue of numbered requests: any thread puts in, one worker takes out in the order of the numbers.
// A place is free again when its request is completed, not when it is taken: the bound is on everything that
// is accepted and not completed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/assert.hpp"

namespace xtc::nrt {

template <class Request> class RequestRing {
public:
    // Numbers begin after `last_number`. Throws std::bad_alloc.
    RequestRing(uint32_t capacity, uint64_t last_number)
        : places_(std::make_unique<Place[]>(capacity)), capacity_(capacity), accepted_(last_number),
          completed_(last_number), taken_(last_number) {}

    // The number of the request; 0: full. Any thread.
    uint64_t put(Request request) noexcept {
        uint64_t last = accepted_.load(std::memory_order_relaxed);
        do {
            // Acquires what the worker did to the place before it freed it.
            if (last - completed_.load(std::memory_order_seq_cst) >= capacity_) return 0;
        } while (!accepted_.compare_exchange_weak(last, last + 1, std::memory_order_seq_cst,
                                                  std::memory_order_relaxed));
        Place& place = place_of(last + 1);
        place.request = request;
        place.number.store(last + 1, std::memory_order_seq_cst);
        return last + 1;
    }

    // The worker's. False: there is none. The next is taken when this one is complete.
    bool take(Request* out) noexcept {
        if (!has_next()) return false;
        *out = place_of(++taken_).request;
        return true;
    }
    bool has_next() const noexcept {
        return place_of(taken_ + 1).number.load(std::memory_order_seq_cst) == taken_ + 1;
    }
    void complete() noexcept {
        XTC_ASSERT(completed_.load(std::memory_order_relaxed) + 1 == taken_);
        completed_.store(taken_, std::memory_order_seq_cst);
    }
    uint64_t taken() const noexcept { return taken_; } // the number of the last one

    // Any thread.
    uint64_t accepted() const noexcept { return accepted_.load(std::memory_order_seq_cst); }
    uint64_t completed() const noexcept { return completed_.load(std::memory_order_seq_cst); }
    bool is_full() const noexcept {
        const uint64_t done = completed();
        return accepted() - done >= capacity_;
    }

private:
    struct Place {
        std::atomic<uint64_t> number{0}; // of the request that is in it, or was last
        Request request{};
    };
    Place& place_of(uint64_t number) const noexcept { return places_[number % capacity_]; }

    const std::unique_ptr<Place[]> places_;
    const uint32_t capacity_;
    alignas(64) std::atomic<uint64_t> accepted_;
    alignas(64) std::atomic<uint64_t> completed_;
    uint64_t taken_; // the worker's
};

} // namespace xtc::nrt
