// SPDX-License-Identifier: ISC
//
// The one door to the environment, and the list of what the library looks for in it.
#pragma once

#include <array>

namespace xtc {

struct EnvVariable {
    const char* name;
    const char* fallback;
    const char* when_read;
    const char* meaning;
};

// xtc(7) and xtc-info print this table; a name read but not listed here fails the tidy test.
inline constexpr std::array env_variables{
    EnvVariable{"XTC_IO_BACKEND", "auto", "when a loop is made",
                "auto, uring or epoll: what a loop waits in; auto takes epoll where io_uring is refused"},
};

// NULL when unset. The text is copied to a buffer of the calling thread (1024 bytes, cut if longer) that
// holds until its next call.
const char* env_get(const char* name) noexcept;

} // namespace xtc
