// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <algorithm>
#include <cstring>

size_t xtc_strlcpy(char* dst, const char* src, size_t cap) {
    const size_t length = std::strlen(src);
    if (cap != 0) {
        const size_t kept = std::min(length, cap - 1);
        std::memcpy(dst, src, kept);
        dst[kept] = '\0';
    }
    return length;
}

size_t xtc_strlcat(char* dst, const char* src, size_t cap) {
    const size_t used = ::strnlen(dst, cap);
    // dst that is not terminated within cap is left alone, as on BSD.
    if (used == cap) return cap + std::strlen(src);
    return used + xtc_strlcpy(dst + used, src, cap - used);
}
