// SPDX-License-Identifier: ISC
#include "nrt/package/archive.hpp"

#include "nrt/package/file_name.hpp"
#include "nrt/package/gzip_trailer.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <string>

#include <archive.h>
#include <archive_entry.h>

namespace xtc::nrt {
namespace {

constexpr uint64_t block = 512;

struct CloseReader {
    void operator()(archive* a) const noexcept { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, CloseReader>;

std::string reason_of(archive* a) {
    const char* reason = archive_error_string(a);
    return reason != nullptr ? printable(reason, 300) : "no reason given";
}

Complaint too_large(const ArchiveLimits& limits) {
    return refuse("the package unpacks to more than " + std::to_string(limits.bytes) + " bytes");
}

Complaint open_reader(Reader& reader, bool gzip, std::span<const std::byte> bytes) {
    reader.reset(archive_read_new());
    if (!reader) throw std::bad_alloc();
    const int prepared =
        gzip ? archive_read_support_filter_gzip(reader.get()) : archive_read_support_format_tar(reader.get());
    if (gzip) archive_read_support_format_raw(reader.get());
    if (prepared != ARCHIVE_OK ||
        archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        return refuse(std::string("the package is no ") + (gzip ? "gzip file: " : "tar: ") +
                      reason_of(reader.get()));
    return {};
}

Complaint unpack_blocks(archive* a, const ArchiveLimits& limits, std::vector<std::byte>& tar) {
    for (;;) {
        const void* piece = nullptr;
        size_t size = 0;
        la_int64_t offset = 0;
        const int got = archive_read_data_block(a, &piece, &size, &offset);
        if (got == ARCHIVE_EOF) return {};
        if (got != ARCHIVE_OK) return refuse("the package is cut short or damaged: " + reason_of(a));
        if (size > limits.bytes - tar.size()) return too_large(limits);
        const auto* begin = static_cast<const std::byte*>(piece);
        tar.insert(tar.end(), begin, begin + size);
    }
}

Complaint unpack_gzip(std::span<const std::byte> bytes, const ArchiveLimits& limits,
                      std::vector<std::byte>& tar) {
    const auto trailer = gzip_trailer(bytes);
    if (!trailer) return refuse("the package is cut short: a gzip file has at least 18 bytes");
    Reader reader;
    if (Complaint why = open_reader(reader, true, bytes)) return why;
    archive_entry* entry = nullptr;
    if (archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK)
        return refuse("the package is cut short or damaged: " + reason_of(reader.get()));
    if (archive_filter_code(reader.get(), 0) != ARCHIVE_FILTER_GZIP)
        return refuse("the package begins like gzip and is none");
    if (trailer->size <= std::min(limits.bytes, uint64_t{bytes.size()} * 8)) tar.reserve(trailer->size);
    if (Complaint why = unpack_blocks(reader.get(), limits, tar)) return why;
    if (static_cast<uint32_t>(tar.size()) != trailer->size || crc32(tar) != trailer->crc)
        return refuse(
            "the package is cut short or damaged, or is more than one gzip file: what it unpacks to "
            "differs from what its end says");
    return {};
}

// What kind of thing that is no file, or nullptr for one that is welcome.
const char* unwelcome(archive_entry* entry) {
    if (archive_entry_hardlink(entry) != nullptr) return "is a hard link";
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return archive_entry_sparse_count(entry) > 0 ? "is a sparse file" : nullptr;
    case AE_IFDIR:
        return nullptr;
    case AE_IFLNK:
        return "is a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
        return "is a device";
    case AE_IFIFO:
        return "is a fifo";
    default:
        return "is neither file nor folder";
    }
}

Complaint read_contents(archive* a, const std::string& name, uint64_t size, uint64_t tar_bytes,
                        Blob& contents) {
    if (size > tar_bytes) return refuse("the package is cut short inside '" + name + "'");
    contents = Blob(size);
    uint64_t filled = 0;
    while (filled < size) {
        const la_ssize_t got = archive_read_data(a, contents.data() + filled, size - filled);
        if (got <= 0) return refuse("the package is cut short inside '" + name + "'");
        filled += static_cast<uint64_t>(got);
    }
    return {};
}

// Goes through a tar that lies in memory, and remembers where the last entry should end.
class TarWalk {
public:
    TarWalk(std::span<const std::byte> tar, const ArchiveLimits& limits, FileSet& files)
        : tar_(tar), limits_(limits), files_(files) {}

    Complaint run() {
        if (Complaint why = open_reader(reader_, false, tar_)) return why;
        for (uint32_t count = 0;; ++count) {
            archive_entry* entry = nullptr;
            const int got = archive_read_next_header(reader_.get(), &entry);
            if (got == ARCHIVE_EOF) return check_end();
            // A warning too: it says that something in a header was passed over.
            if (got != ARCHIVE_OK)
                return refuse("the package is cut short or damaged: " + reason_of(reader_.get()));
            if (count == limits_.entries)
                return refuse("the package has more than " + std::to_string(limits_.entries) + " entries");
            if (Complaint why = take(entry)) return why;
        }
    }

private:
    Complaint take(archive_entry* entry) {
        const char* given = archive_entry_pathname(entry);
        std::string name;
        if (Complaint why = clean_file_name(given != nullptr ? given : "", name)) return why;
        if (const char* what = unwelcome(entry)) return refuse("'" + name + "' " + what);
        const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
        if (!is_folder && name.empty()) return refuse("a file has no name");
        const la_int64_t size = archive_entry_size(entry);
        if (size < 0 || (is_folder && size != 0)) return refuse("'" + name + "' has an impossible size");
        const auto bytes = static_cast<uint64_t>(size);
        if (bytes > limits_.bytes) return too_large(limits_);
        // Its headers are behind us, and nothing of its contents.
        const auto begin = static_cast<uint64_t>(archive_filter_bytes(reader_.get(), 0));
        end_ = begin + (bytes + block - 1) / block * block;
        if (is_folder) return note_folder(std::move(name));
        Blob contents;
        if (Complaint why = read_contents(reader_.get(), name, bytes, tar_.size(), contents)) return why;
        if (folders_.contains(name) || !files_.add(name, std::move(contents)))
            return refuse("'" + name + "' is there twice");
        return {};
    }

    // A folder that tar lists twice is harmless; one that is also a file is not.
    Complaint note_folder(std::string name) {
        if (files_.find(name) != nullptr) return refuse("'" + name + "' is there twice");
        folders_.insert(std::move(name));
        return {};
    }

    // libarchive takes a tar that stops between two entries for a whole one. Two blocks of zeros end it.
    Complaint check_end() const {
        if (end_ > tar_.size() || tar_.size() - end_ < 2 * block)
            return refuse("the package is cut short: the end mark of a tar is missing");
        const auto rest = tar_.subspan(end_);
        if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0}; }))
            return refuse("the package has something behind its end, or no end mark of a tar");
        return {};
    }

    std::span<const std::byte> tar_;
    const ArchiveLimits& limits_;
    FileSet& files_;
    std::set<std::string> folders_;
    Reader reader_;
    uint64_t end_ = 0;
};

la_ssize_t append(archive* a, void* to, const void* bytes, size_t size) {
    auto& out = *static_cast<std::vector<std::byte>*>(to);
    const auto* begin = static_cast<const std::byte*>(bytes);
    try {
        out.insert(out.end(), begin, begin + size);
    } catch (const std::bad_alloc&) {
        archive_set_error(a, ENOMEM, "out of memory");
        return -1;
    }
    return static_cast<la_ssize_t>(size);
}

bool write_file(archive* a, archive_entry* entry, const PackageFile& file) {
    archive_entry_clear(entry);
    archive_entry_set_pathname(entry, file.name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(file.contents.size()));
    archive_entry_set_mtime(entry, 0, 0);
    if (archive_write_header(a, entry) != ARCHIVE_OK) return false;
    size_t written = 0;
    while (written < file.contents.size()) {
        const la_ssize_t got =
            archive_write_data(a, file.contents.data() + written, file.contents.size() - written);
        if (got <= 0) return false;
        written += static_cast<size_t>(got);
    }
    return true;
}

} // namespace

Complaint read_archive(std::span<const std::byte> bytes, const ArchiveLimits& limits, FileSet& files) {
    std::vector<std::byte> unpacked;
    std::span<const std::byte> tar = bytes;
    if (is_gzip(bytes)) {
        if (Complaint why = unpack_gzip(bytes, limits, unpacked)) return why;
        tar = unpacked;
    }
    if (tar.size() > limits.bytes) return too_large(limits);
    if (tar.empty()) return refuse("the package is empty");
    return TarWalk(tar, limits, files).run();
}

Complaint write_archive(std::span<const PackageFile* const> files, bool gzip, std::vector<std::byte>& out) {
    struct CloseWriter {
        void operator()(archive* a) const noexcept { archive_write_free(a); }
    };
    struct FreeEntry {
        void operator()(archive_entry* e) const noexcept { archive_entry_free(e); }
    };
    const std::unique_ptr<archive, CloseWriter> writer(archive_write_new());
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    if (!writer || !entry) throw std::bad_alloc();
    archive* a = writer.get();
    bool good = archive_write_set_format_pax_restricted(a) == ARCHIVE_OK;
    if (gzip)
        good = good && archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
               archive_write_set_options(a, "gzip:!timestamp") == ARCHIVE_OK;
    // No padding behind the end of a gzip file: its trailer is what ends it.
    good = good && archive_write_set_bytes_in_last_block(a, gzip ? 1 : 512) == ARCHIVE_OK;
    good = good && archive_write_open(a, &out, nullptr, append, nullptr) == ARCHIVE_OK;
    for (const PackageFile* file : files) good = good && write_file(a, entry.get(), *file);
    good = good && archive_write_close(a) == ARCHIVE_OK;
    if (!good) return Refusal{Status::failure, "the package cannot be written: " + reason_of(a)};
    return {};
}

} // namespace xtc::nrt
