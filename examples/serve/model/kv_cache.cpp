// SPDX-License-Identifier: ISC
#include "kv_cache.hpp"

#include <new>

namespace transformer {

KvCache::KvCache(const Shape& shape, uint32_t slots, uint32_t context)
    : layers_(shape.layers), heads_(shape.shared_heads), head_floats_(uint64_t(context) * shape.head_width()),
      slots_(slots) {
    const uint64_t slot_floats = head_floats_ * heads_ * 2 * layers_; // at most 2^16 * 2^12 * 2 * 2^6
    if (__builtin_mul_overflow(slot_floats * sizeof(float), uint64_t(slots), &bytes_)) throw std::bad_alloc();
    // calloc: pages of slots that are never used are never touched.
    data_.reset(static_cast<float*>(std::calloc(slots, slot_floats * sizeof(float))));
    if (!data_) throw std::bad_alloc();
    free_.reserve(slots);
    for (uint32_t slot = slots; slot-- > 0;) free_.push_back(slot);
}

bool KvCache::acquire(uint32_t& slot) {
    if (free_.empty()) return false;
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = {0, true};
    return true;
}

void KvCache::release(uint32_t slot) {
    slots_[slot] = {0, false};
    free_.push_back(slot);
}

} // namespace transformer
