// SPDX-License-Identifier: ISC
#include "loop/local.hpp"
#include "loop/pool.hpp"

#include <xtc_blocking.h>

extern "C" int xtc_blocking_pool_size(int nthreads) {
    return xtc::pool_set_size(nthreads);
}

// On a loop's thread the closures might wait for that very loop.
extern "C" void xtc_blocking_shutdown(void) {
    if (xtc::current_loop() == nullptr) xtc::pool_shutdown();
}
