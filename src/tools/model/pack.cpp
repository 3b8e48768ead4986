// SPDX-License-Identifier: ISC
#include "nrt/package/file_name.hpp"
#include "nrt/package/package.hpp"
#include "tools/model/commands.hpp"
#include "tools/model/raw_files.hpp"

#include <cstdio>
#include <filesystem>

namespace xtc::model_tool {
namespace {

namespace fs = std::filesystem;
using nrt::Complaint;
using nrt::FileSet;
using nrt::PackageFile;

void add_file(FileSet& files, const std::string& name, const std::string& path) {
    std::string clean;
    if (const Complaint why = nrt::clean_file_name(name, clean)) stop(exit_refused, why->sentence);
    if (!files.add(clean, read_file(path))) stop(exit_refused, "'" + clean + "' is there twice");
}

void add_folder(FileSet& files, const std::string& folder) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    if (error) stop(exit_io, "cannot read " + folder + ": " + error.message());
    for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        const std::string path = entry->path().string();
        if (entry->is_directory() && !entry->is_symlink()) continue;
        if (!entry->is_regular_file()) stop(exit_refused, path + " is neither a file nor a folder of files");
        add_file(files, entry->path().lexically_relative(folder).string(), path);
    }
    if (error) stop(exit_io, "cannot read " + folder + ": " + error.message());
}

// model.json first: who unpacks by hand sees it at once.
std::vector<const PackageFile*> in_order(const FileSet& files) {
    std::vector<const PackageFile*> order{files.find(nrt::manifest_file)};
    for (const PackageFile& file : files.all())
        if (file.name != nrt::manifest_file) order.push_back(&file);
    return order;
}

bool wants_gzip(const CommandLine& line, const std::string& path) {
    return line.has("--gzip") || path.ends_with(".gz") || path.ends_with(".tgz");
}

} // namespace

int pack(std::vector<std::string> words) {
    const CommandLine line(std::move(words), {{"--gzip", false}, {"--add", true}});
    if (line.operands().size() != 2) stop(exit_usage, "pack needs FOLDER and PACKAGE");
    const std::string& path = line.operands()[1];
    FileSet files;
    add_folder(files, line.operands()[0]);
    for (const auto& [name, source] : line.pairs("--add")) add_file(files, name, source);

    nrt::Manifest manifest;
    if (const Complaint why = nrt::check_files(files, manifest)) stop(exit_refused, text_of(*why));
    std::vector<std::byte> bytes;
    if (const Complaint why = nrt::write_archive(in_order(files), wants_gzip(line, path), bytes))
        stop(exit_refused, why->sentence);
    // Limits on sizes are for the whole; nothing is written that nrt_load would refuse.
    nrt::Package package;
    if (const Complaint why = nrt::open_package(bytes, {}, package)) stop(exit_refused, text_of(*why));
    if (path == "-")
        write_stdout(bytes);
    else
        write_file(path, bytes);
    return exit_good;
}

} // namespace xtc::model_tool
