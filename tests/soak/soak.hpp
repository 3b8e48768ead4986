// SPDX-License-Identifier: ISC
// What the long tests share: a verdict on standard output and the memory the process holds.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace soak {

inline void must(bool good, const char* what) {
    if (good) return;
    std::printf("FAILED: %s\n", what);
    std::exit(1);
}

inline int64_t resident_bytes() {
    long total = 0;
    long resident = 0;
    FILE* f = std::fopen("/proc/self/statm", "r");
    must(f != nullptr && std::fscanf(f, "%ld %ld", &total, &resident) == 2, "read /proc/self/statm");
    std::fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}

} // namespace soak
