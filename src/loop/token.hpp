// SPDX-License-Identifier: ISC
// Numbers that stand for tasks. A token is compared, never dereferenced: a stale one names nothing.
#pragma once

#include <cstdint>

namespace xtc {

inline constexpr unsigned kLoopBits = 10; // live loops in the process
inline constexpr unsigned kSlotBits = 24; // tasks of one loop
inline constexpr unsigned kEpochBits = 30;
inline constexpr unsigned kGenBits = 24; // lives of one slot; a slot that has used them up is retired

inline constexpr uint32_t kMaxLoops = 1u << kLoopBits; // index 0 is no loop
inline constexpr uint32_t kMaxSlots = 1u << kSlotBits;
inline constexpr uint32_t kEpochMask = (1u << kEpochBits) - 1;
inline constexpr uint32_t kGenMask = (1u << kGenBits) - 1;

// Names one sleep of one task: a wake that carries it does nothing once that sleep is over.
struct WakeToken {
    uint64_t bits = 0;

    static WakeToken make(uint32_t loop, uint32_t slot, uint32_t epoch) {
        return {uint64_t{loop} << (kSlotBits + kEpochBits) | uint64_t{slot} << kEpochBits |
                (epoch & kEpochMask)};
    }
    uint32_t loop() const { return static_cast<uint32_t>(bits >> (kSlotBits + kEpochBits)); }
    uint32_t slot() const { return static_cast<uint32_t>(bits >> kEpochBits) & (kMaxSlots - 1); }
    uint32_t epoch() const { return static_cast<uint32_t>(bits) & kEpochMask; }
};

// The value behind the public task and timer handles: loop, slot and life, with a tag that tells them apart.
enum class HandleKind : uint8_t { task = 1, timer = 2 };

struct Handle {
    uint64_t bits = 0;

    static Handle make(HandleKind kind, uint32_t loop, uint32_t slot, uint32_t gen) {
        return {uint64_t{loop} << 54 | uint64_t{slot} << 30 | uint64_t{gen & kGenMask} << 6 |
                static_cast<uint64_t>(kind)};
    }
    template <class T> static Handle from(const T* public_handle) {
        return {reinterpret_cast<uintptr_t>(public_handle)};
    }
    template <class T> T* as() const { return reinterpret_cast<T*>(static_cast<uintptr_t>(bits)); }

    bool is(HandleKind kind) const { return (bits & 0x3f) == static_cast<uint64_t>(kind); }
    uint32_t loop() const { return static_cast<uint32_t>(bits >> 54); }
    uint32_t slot() const { return static_cast<uint32_t>(bits >> 30) & (kMaxSlots - 1); }
    uint32_t gen() const { return static_cast<uint32_t>(bits >> 6) & kGenMask; }
};

static_assert(sizeof(void*) == 8, "handles are 64-bit values");
static_assert(kLoopBits + kSlotBits + kEpochBits == 64);

} // namespace xtc
