// SPDX-License-Identifier: ISC
// Handles that are addresses begin with the mark of their kind. A model's handle is a number and no address,
// and C takes it for a set without a warning: what can be no address of an object is not looked at.
#pragma once

#include <cstdint>

namespace xtc::nrt {

// nullptr for NULL and for what is no such object.
template <class Object> Object* object_of(const void* handle) noexcept {
    constexpr uintptr_t kLowest = 4096; // nothing is mapped below
    constexpr int kAddressBits = 48;    // as Ref's slots count on
    const auto value = reinterpret_cast<uintptr_t>(handle);
    if (value < kLowest || value >> kAddressBits != 0 || value % alignof(Object) != 0) return nullptr;
    auto* const object = static_cast<Object*>(const_cast<void*>(handle));
    return object->has_mark() ? object : nullptr;
}

} // namespace xtc::nrt
