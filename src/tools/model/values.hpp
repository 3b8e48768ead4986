// SPDX-License-Identifier: ISC
//
// The contents of tensors, for people and from seeds.
#pragma once

#include "base/prng.hpp"
#include "nrt/package/manifest.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace xtc::model_tool {

std::string shape_text(const nrt::TensorSpec& tensor); // "[2,3]"

// Floats from -1 to 1, everything else from 0 to 99.
void fill_random(nrt::Dtype dtype, std::span<std::byte> bytes, Prng& random);

// Up to `most` elements, with a blank between; an 8-bit float as its byte in hexadecimal.
std::string values_text(nrt::Dtype dtype, std::span<const std::byte> bytes, unsigned long long most);

} // namespace xtc::model_tool
