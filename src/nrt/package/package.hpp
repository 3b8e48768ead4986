// SPDX-License-Identifier: ISC
//
// A CPU model package, read and checked; nothing of it has run.
#pragma once

#include "nrt/package/archive.hpp"
#include "nrt/package/file_set.hpp"
#include "nrt/package/manifest.hpp"
#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <span>

namespace xtc::nrt {

struct Package {
    Manifest manifest;
    FileSet files;
};

// Copies what it keeps. A NEFF is refused with unsupported_neff_version, memory that is not to be had with
// resource, everything else with invalid.
Complaint open_package(std::span<const std::byte> bytes, const ArchiveLimits& limits, Package& package);

// The part that does not depend on how the files were packed.
Complaint check_files(const FileSet& files, Manifest& manifest);

} // namespace xtc::nrt
