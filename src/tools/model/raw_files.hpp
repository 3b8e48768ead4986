// SPDX-License-Identifier: ISC
#pragma once

#include "nrt/package/blob.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace xtc::model_tool {

// Whole files; "-" is standard input or output. What cannot be read or written ends the command.
nrt::Blob read_file(const std::string& path);
void write_stdout(std::span<const std::byte> bytes);

// There under its name only once it is whole.
void write_file(const std::string& path, std::span<const std::byte> bytes);

} // namespace xtc::model_tool
