// SPDX-License-Identifier: ISC
//
// Names inside a package: relative paths that stay inside it, in characters no locale reads in two ways.
#pragma once

#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace xtc::nrt {

inline constexpr size_t max_file_name = 255;

// Takes leading "./" and a directory's trailing "/" away. "." itself gives an empty name.
Complaint clean_file_name(std::string_view given, std::string& clean);

// A name for a sentence: what does not print is written as \xHH, and a long one is cut.
std::string printable(std::string_view text, size_t longest = 80);

} // namespace xtc::nrt
