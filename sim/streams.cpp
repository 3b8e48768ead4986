// SPDX-License-Identifier: ISC
#include "streams.hpp"

namespace xtc::sim {

Streams::Streams(uint64_t seed) noexcept
    : seed_(seed), streams_{Prng(seed, "SCHED"),   Prng(seed, "STEAL"),   Prng(seed, "PLACE"),
                            Prng(seed, "LOCKVIC"), Prng(seed, "IO"),      Prng(seed, "FAULT"),
                            Prng(seed, "APP"),     Prng(seed, "BUGGIFY"), Prng(seed, "OFFLOAD")} {}

} // namespace xtc::sim
