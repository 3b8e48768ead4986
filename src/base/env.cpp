// SPDX-License-Identifier: ISC
#include "base/env.hpp"

#include <xtc.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

namespace xtc {

namespace {

// setenv moves strings that getenv gave out, so both run under one lock and readers keep a copy.
constinit std::mutex environment;

thread_local char copy[1024];

} // namespace

const char* env_get(const char* name) noexcept {
    if (name == nullptr) return nullptr;
    const std::lock_guard lock(environment);
    const char* value = std::getenv(name);
    if (value == nullptr) return nullptr;
    xtc_strlcpy(copy, value, sizeof(copy));
    return copy;
}

} // namespace xtc

const char* xtc_env_get(const char* name) {
    return xtc::env_get(name);
}

int xtc_env_set(const char* name, const char* value, int overwrite) {
    if (name == nullptr || value == nullptr) return XTC_E_INVAL;
    const std::lock_guard lock(xtc::environment);
    if (::setenv(name, value, overwrite) == 0) return XTC_OK;
    return errno == ENOMEM ? XTC_E_NOMEM : XTC_E_INVAL;
}
