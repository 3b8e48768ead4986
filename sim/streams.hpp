// SPDX-License-Identifier: ISC
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/prng.hpp"

namespace xtc::sim {

// Who draws. The first eight are the public ones (enum xtc_sim_stream, same numbers); a user of randomness
// that is not like any of these gets a name of its own, so that its draws move nobody else's.
enum class Stream : uint8_t {
    sched,   // which loop, which task, how long a turn
    steal,   // not drawn from: fibers never leave their loop
    place,   // where the host puts things
    lockvic, // not drawn from: no lock manager
    io,      // latency, short reads and writes
    fault,   // whether a call of the library's meets a fault
    app,     // the host's own
    buggify, // fault sites in the host's code
    offload, // when a closure runs off the loop
    count
};

// One seed, split by name.
class Streams {
public:
    explicit Streams(uint64_t seed) noexcept;
    Prng& operator[](Stream s) noexcept { return streams_[static_cast<size_t>(s)]; }
    uint64_t seed() const noexcept { return seed_; }

private:
    uint64_t seed_;
    std::array<Prng, static_cast<size_t>(Stream::count)> streams_;
};

} // namespace xtc::sim
