// SPDX-License-Identifier: ISC
// Writing to a descriptor of the client's. A pipe that nobody reads is an error and ends no process.
#pragma once

#include <cstddef>

namespace xtc::nrt {

// All of it, or false with errno set.
bool write_all(int fd, const char* bytes, size_t size) noexcept;

} // namespace xtc::nrt
