// SPDX-License-Identifier: ISC
#pragma once

#include <cstdint>

namespace xtc {

// One step of splitmix64: the state advances by a fixed odd number and is mixed on the way out, so that every
// 64-bit seed starts a full-period sequence.
constexpr uint64_t splitmix64(uint64_t& state) noexcept {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

} // namespace xtc
