// SPDX-License-Identifier: ISC
//
// The files of a package, found by name.
#pragma once

#include "nrt/package/blob.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xtc::nrt {

struct PackageFile {
    std::string name;
    Blob contents;
};

class FileSet {
public:
    // False when there is a file of that name already.
    bool add(std::string name, Blob contents) {
        const size_t place = place_of(name);
        if (place < files_.size() && files_[place].name == name) return false;
        files_.insert(files_.begin() + static_cast<std::ptrdiff_t>(place),
                      PackageFile{std::move(name), std::move(contents)});
        return true;
    }

    const PackageFile* find(std::string_view name) const {
        const size_t place = place_of(name);
        return place < files_.size() && files_[place].name == name ? &files_[place] : nullptr;
    }

    // In the order of their names.
    const std::vector<PackageFile>& all() const { return files_; }

private:
    size_t place_of(std::string_view name) const {
        const auto found = std::lower_bound(
            files_.begin(), files_.end(), name,
            [](const PackageFile& file, std::string_view wanted) { return file.name < wanted; });
        return static_cast<size_t>(found - files_.begin());
    }

    std::vector<PackageFile> files_;
};

} // namespace xtc::nrt
