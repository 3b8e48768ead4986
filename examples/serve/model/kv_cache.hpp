// SPDX-License-Identifier: ISC
//
// Keys and values of every sequence, for every layer and shared head: [slot][layer][key or
// value][head][position][head width]. A head's keys lie together, so that attention is a plain matrix product
// over them.
#pragma once

#include "weights.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

namespace transformer {

class KvCache {
public:
    // Throws std::bad_alloc, also where the size does not fit in 64 bits.
    KvCache(const Shape& shape, uint32_t slots, uint32_t context);

    bool acquire(uint32_t& slot);
    void release(uint32_t slot);
    void reset(uint32_t slot) { slots_[slot].length = 0; }
    bool is_open(uint32_t slot) const { return slot < slots_.size() && slots_[slot].open; }
    uint32_t length(uint32_t slot) const { return slots_[slot].length; }
    void grow(uint32_t slot, uint32_t tokens) { slots_[slot].length += tokens; }

    float* keys(uint32_t slot, uint32_t layer, uint32_t head) { return part(slot, layer, 0, head); }
    float* values(uint32_t slot, uint32_t layer, uint32_t head) { return part(slot, layer, 1, head); }
    uint64_t bytes() const { return bytes_; }

private:
    struct Slot {
        uint32_t length = 0;
        bool open = false;
    };
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };

    float* part(uint32_t slot, uint32_t layer, uint32_t which, uint32_t head) {
        return data_.get() +
               (((uint64_t(slot) * layers_ + layer) * 2 + which) * heads_ + head) * head_floats_;
    }

    uint32_t layers_, heads_;
    uint64_t head_floats_;
    uint64_t bytes_ = 0;
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
    std::unique_ptr<float[], Free> data_;
};

} // namespace transformer
