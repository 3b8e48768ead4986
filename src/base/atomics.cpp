// SPDX-License-Identifier: ISC
#include <xtc.h>

// For C callers and bindings without atomics of their own, on plain integers, hence the builtins.
int64_t xtc_atomic_i64_load(const int64_t* value) {
    return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

int64_t xtc_atomic_i64_add(int64_t* value, int64_t delta) {
    return __atomic_fetch_add(value, delta, __ATOMIC_SEQ_CST);
}
