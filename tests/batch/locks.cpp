// SPDX-License-Identifier: ISC
//
// pthread_mutex_lock of the test program counts, and then does what it always does.
#include "batch/locks.hpp"

#include <atomic>

#include <dlfcn.h>
#include <pthread.h>

namespace {

std::atomic<uint64_t> counted{0};
using Lock = int (*)(pthread_mutex_t*);

Lock real(const char* name) {
    return reinterpret_cast<Lock>(dlsym(RTLD_NEXT, name));
}

} // namespace

namespace locks {

uint64_t count() {
    return counted.load();
}

} // namespace locks

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static const Lock lock = real("pthread_mutex_lock");
    counted.fetch_add(1, std::memory_order_relaxed);
    return lock(mutex);
}

extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static const Lock lock = real("pthread_mutex_trylock");
    counted.fetch_add(1, std::memory_order_relaxed);
    return lock(mutex);
}
