// SPDX-License-Identifier: ISC
#include "tools/model/raw_files.hpp"

#include "tools/model/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <unistd.h>

namespace xtc::model_tool {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

[[noreturn]] void fail(const char* what, const std::string& path) {
    stop(exit_io, std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

} // namespace

nrt::Blob read_file(const std::string& path) {
    const bool is_stdin = path == "-";
    const std::unique_ptr<std::FILE, CloseFile> opened(is_stdin ? nullptr : std::fopen(path.c_str(), "rbe"));
    std::FILE* file = is_stdin ? stdin : opened.get();
    if (file == nullptr) fail("read", path);
    std::vector<std::byte> bytes;
    std::byte piece[65536];
    for (;;) {
        const size_t got = std::fread(piece, 1, sizeof piece, file);
        bytes.insert(bytes.end(), piece, piece + got);
        if (got == sizeof piece) continue;
        if (std::ferror(file) != 0) fail("read", path);
        break;
    }
    nrt::Blob whole(bytes.size());
    std::copy(bytes.begin(), bytes.end(), whole.data());
    return whole;
}

void write_stdout(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
        fail("write", "standard output");
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
    const std::string draft = path + "." + std::to_string(::getpid()) + ".part";
    std::FILE* file = std::fopen(draft.c_str(), "wbxe");
    if (file == nullptr) fail("write", path);
    bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    good = std::fclose(file) == 0 && good;
    if (good && std::rename(draft.c_str(), path.c_str()) == 0) return;
    const int reason = errno;
    std::remove(draft.c_str());
    errno = reason;
    fail("write", path);
}

} // namespace xtc::model_tool
