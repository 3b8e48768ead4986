// SPDX-License-Identifier: ISC
#include "loop/user_timers.hpp"

#include <new>

namespace xtc {

UserTimer* UserTimers::take() {
    if (free_ == nullptr) {
        if (count() + kChunk > kMaxSlots) return nullptr;
        try {
            chunks_.push_back(std::make_unique<UserTimer[]>(kChunk));
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
        const uint32_t first = count() - kChunk;
        for (uint32_t i = kChunk; i-- > 0;) {
            UserTimer& t = chunks_.back()[i];
            t.slot = first + i;
            t.next_free = free_;
            free_ = &t;
        }
    }
    UserTimer* t = free_;
    free_ = t->next_free;
    t->next_free = nullptr;
    return t;
}

void UserTimers::give(UserTimer& t) {
    t.gen = (t.gen + 1) & kGenMask;
    if (t.gen == 0) return; // retired: generation 0 has named a timer before
    t.next_free = free_;
    free_ = &t;
}

UserTimer* UserTimers::find(uint32_t slot, uint32_t gen) {
    if (slot >= count()) return nullptr;
    UserTimer& t = chunks_[slot / kChunk][slot % kChunk];
    return t.armed() && t.gen == gen ? &t : nullptr;
}

} // namespace xtc
