// SPDX-License-Identifier: ISC
// Making a model of a package and taking it down again: slow work, and code of the package, which never runs
// on a loop's thread.
#pragma once

#include <nrt/nrt.h>

#include <cstddef>
#include <memory>
#include <span>

#include "nrt/loaded_model.hpp"
#include "nrt/package/model.hpp"
#include "nrt/ref.hpp"

namespace xtc::nrt {

// Logs why not. NRT_INVALID also on a loop's thread outside a fiber.
NRT_STATUS load_package(std::span<const std::byte> bytes, const LoadOptions& options,
                        std::unique_ptr<Model>* out);

// No pin is on it.
void unload_package(LoadedModel& model);

} // namespace xtc::nrt
