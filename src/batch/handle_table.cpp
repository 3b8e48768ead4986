// SPDX-License-Identifier: ISC
#include "batch/handle_table.hpp"

#include "base/assert.hpp"

#include <xtc.h>

#include <bit>
#include <new>

namespace xtc {

int HandleTable::init(size_t most) {
    const size_t entries = std::bit_ceil(most * 2 < 4 ? size_t{4} : most * 2); // at most half full
    entries_.reset(new (std::nothrow) Entry[entries]);
    if (entries_ == nullptr) return XTC_E_NOMEM;
    mask_ = entries - 1;
    shift_ = 64u - static_cast<unsigned>(std::countr_zero(entries));
    return XTC_OK;
}

// The entry of the handle, or the empty one where it would go.
size_t HandleTable::locate(uint64_t handle) const {
    size_t at = home(handle);
    while (entries_[at].handle != handle && entries_[at].handle != 0) at = (at + 1) & mask_;
    return at;
}

Member* HandleTable::find(uint64_t handle) const {
    return handle != 0 ? entries_[locate(handle)].member : nullptr;
}

void HandleTable::insert(uint64_t handle, Member* member) {
    const size_t at = locate(handle);
    XTC_ASSERT(handle != 0 && entries_[at].handle == 0 && size_ <= mask_ / 2);
    entries_[at] = {handle, member};
    ++size_;
}

void HandleTable::replace(uint64_t handle, Member* member) {
    const size_t at = locate(handle);
    XTC_ASSERT(entries_[at].handle == handle);
    entries_[at].member = member;
}

// Pulls later entries of the run into the hole instead of leaving a mark, so that lookups stay as short as if
// the handle had never been there.
void HandleTable::erase(uint64_t handle) {
    size_t hole = locate(handle);
    XTC_ASSERT(handle != 0 && entries_[hole].handle == handle);
    for (size_t at = (hole + 1) & mask_; entries_[at].handle != 0; at = (at + 1) & mask_) {
        const size_t from_home = (at - home(entries_[at].handle)) & mask_;
        const size_t from_hole = (at - hole) & mask_;
        if (from_home < from_hole) continue; // it would land before its home
        entries_[hole] = entries_[at];
        hole = at;
    }
    entries_[hole] = {};
    --size_;
}

} // namespace xtc
