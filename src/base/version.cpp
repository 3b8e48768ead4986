// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <string_view>

// The build says which version it makes; the header must say the same.
static_assert(std::string_view(XTC_VERSION_STRING) == XTC_BUILD_VERSION);

const char* xtc_version_string(void) {
    return XTC_VERSION_STRING;
}

int xtc_version_components(int* major, int* minor, int* patch) {
    if (major == nullptr || minor == nullptr || patch == nullptr) return XTC_E_INVAL;
    *major = XTC_VERSION_MAJOR;
    *minor = XTC_VERSION_MINOR;
    *patch = XTC_VERSION_PATCH;
    return XTC_OK;
}
