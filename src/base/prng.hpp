// SPDX-License-Identifier: ISC
//
// Repeatable randomness for simulations, tests and benchmarks. Integers only: a result never depends on a
// compiler's floating point or on a standard library's distributions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/assert.hpp"
#include "base/rand.hpp"

namespace xtc {

// num in den: Ratio{30, 1000} is three per cent.
struct Ratio {
    uint64_t num = 0;
    uint64_t den = 1;
    constexpr bool never() const noexcept { return num == 0; }
};

// FNV-1a; names of streams are short and few.
constexpr uint64_t hash_name(std::string_view name) noexcept {
    uint64_t h = 0xcbf29ce484222325u;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

// xoshiro256**, seeded through splitmix64 so that neighbouring seeds share nothing.
class Prng {
public:
    explicit constexpr Prng(uint64_t seed) noexcept {
        for (uint64_t& word : state_) word = splitmix64(seed);
    }
    // The stream of that name under that seed. Depends on nothing else: a draw from one stream, or a new
    // stream, moves no other.
    constexpr Prng(uint64_t seed, std::string_view name) noexcept : Prng(derive(seed, name)) {}

    static constexpr uint64_t derive(uint64_t seed, std::string_view name) noexcept {
        uint64_t mixed = seed;
        mixed = splitmix64(mixed) ^ hash_name(name);
        return splitmix64(mixed);
    }

    constexpr uint64_t next() noexcept {
        const uint64_t result = rotl(state_[1] * 5, 7) * 9;
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotl(state_[3], 45);
        return result;
    }

    // 0..n-1, every value equally likely.
    constexpr uint64_t below(uint64_t n) noexcept {
        XTC_ASSERT(n > 0);
        const uint64_t uneven = (0 - n) % n; // 2^64 mod n: that many draws belong to no full round
        for (;;) {
            const uint64_t draw = next();
            if (draw >= uneven) return draw % n;
        }
    }

    // lo..hi, both included.
    constexpr int64_t between(int64_t lo, int64_t hi) noexcept {
        XTC_ASSERT(lo <= hi);
        const uint64_t width = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
        const uint64_t offset = width == UINT64_MAX ? next() : below(width + 1);
        return static_cast<int64_t>(static_cast<uint64_t>(lo) + offset);
    }

    // lo..hi where every power of two is as likely as any other: for times and sizes, whose small values
    // matter as much as their large ones.
    constexpr int64_t magnitude(int64_t lo, int64_t hi) noexcept {
        XTC_ASSERT(0 <= lo && lo <= hi);
        const int bits = static_cast<int>(between(bit_width(lo), bit_width(hi)));
        const int64_t floor = bits == 0 ? 0 : int64_t{1} << (bits - 1);
        const int64_t ceiling = bits == 0 ? 0 : floor + (floor - 1);
        return between(floor < lo ? lo : floor, ceiling > hi ? hi : ceiling);
    }

    constexpr bool chance(Ratio r) noexcept {
        if (r.num == 0) return false;
        return below(r.den) < r.num;
    }

    constexpr bool coin() noexcept { return (next() >> 63) != 0; }

    template <typename T> constexpr const T& pick(std::span<const T> from) noexcept {
        return from[below(from.size())];
    }
    template <typename T, size_t N> constexpr const T& pick(const T (&from)[N]) noexcept {
        return from[below(N)];
    }

private:
    static constexpr uint64_t rotl(uint64_t x, int k) noexcept { return (x << k) | (x >> (64 - k)); }
    static constexpr int bit_width(int64_t x) noexcept {
        int bits = 0;
        for (; x > 0; x >>= 1) bits++;
        return bits;
    }

    std::array<uint64_t, 4> state_{};
};

} // namespace xtc
