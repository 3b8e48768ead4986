// SPDX-License-Identifier: ISC
//
// How many bytes the parts of a group take, in arithmetic that refuses instead of wrapping. Over the size
// type: what a 32-bit target computes is tested on a 64-bit one.
#pragma once

#include <xtc.h>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace xtc {

// No object is larger than half of what the type can count (PTRDIFF_MAX).
template <typename Size> constexpr Size largest_object() {
    static_assert(std::is_unsigned_v<Size>);
    return static_cast<Size>(-1) / 2;
}

template <typename Size> int add_bytes(Size a, Size b, Size* out) {
    Size sum;
    if (__builtin_add_overflow(a, b, &sum) || sum > largest_object<Size>()) return XTC_E_RANGE;
    *out = sum;
    return XTC_OK;
}

template <typename Size> int array_bytes(Size count, Size each, Size* out) {
    Size bytes;
    if (__builtin_mul_overflow(count, each, &bytes) || bytes > largest_object<Size>()) return XTC_E_RANGE;
    *out = bytes;
    return XTC_OK;
}

// Cells for twice as many, rounded up to a power of two: of a table that is at most half full, of a ring that
// takes the records of two pools.
template <typename Size> int cells_for_twice(Size count, Size* out) {
    if (count > largest_object<Size>() / 2) return XTC_E_RANGE;
    *out = std::bit_ceil(static_cast<Size>(count * 2));
    return XTC_OK;
}

template <typename Size> int table_bytes(Size most, Size entry, Size* out) {
    Size cells;
    if (const int rc = cells_for_twice(most, &cells); rc != XTC_OK) return rc;
    return array_bytes(cells, entry, out);
}

template <typename Size> struct HandinSizes { // of one of each
    Size submit_record;
    Size control_record;
    Size ring_cell;
};

inline constexpr uint64_t kLargestQueueCap = uint64_t{1} << 31; // B19; a pool's numbers have 32 bits

// The ring and both pools.
template <typename Size> int handin_bytes(Size queue_cap, const HandinSizes<Size>& each, Size* out) {
    Size cells, submits, controls, ring, total;
    if (queue_cap > kLargestQueueCap) return XTC_E_RANGE;
    if (cells_for_twice(queue_cap, &cells) != XTC_OK ||
        array_bytes(queue_cap, each.submit_record, &submits) != XTC_OK ||
        array_bytes(queue_cap, each.control_record, &controls) != XTC_OK ||
        array_bytes(cells, each.ring_cell, &ring) != XTC_OK ||
        add_bytes(submits, controls, &total) != XTC_OK || add_bytes(total, ring, out) != XTC_OK)
        return XTC_E_RANGE;
    return XTC_OK;
}

template <typename Size> struct SlotSizes {
    Size member;
    Size table_entry;
};

// The slots and the table that finds them and the hand-ins.
template <typename Size> int slot_bytes(Size capacity, Size handins, const SlotSizes<Size>& each, Size* out) {
    Size most, slots, table;
    if (__builtin_add_overflow(capacity, handins, &most)) return XTC_E_RANGE;
    if (array_bytes(capacity, each.member, &slots) != XTC_OK ||
        table_bytes(most, each.table_entry, &table) != XTC_OK)
        return XTC_E_RANGE;
    return add_bytes(slots, table, out);
}

} // namespace xtc
