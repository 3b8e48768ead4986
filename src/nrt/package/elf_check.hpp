// SPDX-License-Identifier: ISC
//
// Whether the dynamic linker may be shown these bytes: it maps what the headers say, and a file that is
// shorter than they say ends the process with SIGBUS.
#pragma once

#include <cstddef>
#include <span>

namespace xtc::nrt {

// nullptr, or what is wrong: "is no ELF file".
const char* elf_fault(std::span<const std::byte> bytes) noexcept;

} // namespace xtc::nrt
