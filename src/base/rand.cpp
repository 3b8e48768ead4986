// SPDX-License-Identifier: ISC
#include "base/rand.hpp"

#include "base/time.hpp"

#include <xtc.h>

#include <sys/random.h>

namespace {

struct ThreadState {
    uint64_t state;
    bool seeded;
};

[[gnu::tls_model("initial-exec")]] thread_local ThreadState of_this_thread{0, false};

uint64_t seed_from_kernel() {
    uint64_t seed = 0;
    // Without entropy (an early boot, a strict filter) an address and the time still tell threads apart.
    if (::getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != static_cast<ssize_t>(sizeof(seed)))
        seed = reinterpret_cast<uintptr_t>(&of_this_thread) ^ static_cast<uint64_t>(xtc::clock_mono());
    return seed;
}

} // namespace

uint64_t xtc_rand_u64(void) {
    ThreadState& mine = of_this_thread;
    if (!mine.seeded) mine = {seed_from_kernel(), true};
    return xtc::splitmix64(mine.state);
}

void xtc_rand_seed(uint64_t seed) {
    of_this_thread = {seed, true};
}
