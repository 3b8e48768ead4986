// SPDX-License-Identifier: ISC
//
// The one door to libarchive: a tar, plain or gzip, from memory and to memory.
#pragma once

#include "nrt/package/file_set.hpp"
#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xtc::nrt {

struct ArchiveLimits {
    uint64_t bytes = uint64_t{4} << 30; // of the tar, unpacked
    uint32_t entries = 4096;            // files and folders
};

// Takes every file, or refuses the whole: entries that are no files or folders, names that are doubled or
// lead out of the package, whatever is cut short, damaged, too large, or stands behind the end. Throws
// std::bad_alloc.
Complaint read_archive(std::span<const std::byte> bytes, const ArchiveLimits& limits, FileSet& files);

// The same files give the same bytes: order as given, no times, no owners.
Complaint write_archive(std::span<const PackageFile* const> files, bool gzip, std::vector<std::byte>& out);

} // namespace xtc::nrt
