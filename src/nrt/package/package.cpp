// SPDX-License-Identifier: ISC
#include "nrt/package/package.hpp"

#include "nrt/package/elf_check.hpp"
#include "nrt/package/file_name.hpp"
#include "nrt/package/neff.hpp"

#include <new>

namespace xtc::nrt {

Complaint check_files(const FileSet& files, Manifest& manifest) {
    const PackageFile* description = files.find(manifest_file);
    if (description == nullptr) return refuse("the package has no model.json");
    if (Complaint why = parse_manifest(description->contents.bytes(), manifest)) return why;
    if (const auto* native = std::get_if<Native>(&manifest.runner)) {
        const PackageFile* library = files.find(native->library);
        if (library == nullptr)
            return refuse("the package has no library '" + printable(native->library) + "'");
        if (const char* fault = elf_fault(library->contents.bytes()))
            return refuse("library '" + library->name + "' " + fault);
    }
    return {};
}

Complaint open_package(std::span<const std::byte> bytes, const ArchiveLimits& limits, Package& package) try {
    if (const auto header = neff_header(bytes)) return refusal_of(*header);
    Package opened;
    if (Complaint why = read_archive(bytes, limits, opened.files)) return why;
    if (Complaint why = check_files(opened.files, opened.manifest)) return why;
    package = std::move(opened);
    return {};
} catch (const std::bad_alloc&) {
    return Refusal{Status::resource, "not enough memory for the package"};
}

} // namespace xtc::nrt
