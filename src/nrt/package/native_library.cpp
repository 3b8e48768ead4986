// SPDX-License-Identifier: ISC
#include "nrt/package/native_library.hpp"

#include "nrt/package/file_name.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

// Newer than some headers.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace xtc::nrt {
namespace {

std::atomic<uint64_t> loads{0};

// dlopen takes a path it has seen, even through another descriptor, for the same library, and one that could
// not be unloaded keeps its path for good. So each load spells the path in its own way: a bit is "/" or "/.".
std::string unseen_path(int fd) {
    std::string path = "/proc/self/fd";
    for (uint64_t number = loads.fetch_add(1, std::memory_order_relaxed) + 1; number != 0; number >>= 1)
        path += (number & 1) != 0 ? "/." : "/";
    return path + "/" + std::to_string(fd);
}

int make_memory_file() {
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int fd = ::memfd_create("xtc-model", flags | MFD_EXEC);
    if (fd >= 0 || errno != EINVAL) return fd;
    return ::memfd_create("xtc-model", flags); // a kernel before 6.3
}

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return true;
}

Complaint system_refusal(const char* what) {
    return Refusal{Status::resource, std::string("the library of the package cannot be kept in memory: ") +
                                         what + ": " + ::strerrordesc_np(errno)};
}

} // namespace

NativeLibrary::~NativeLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
    if (fd_ >= 0) ::close(fd_);
}

NativeLibrary::NativeLibrary(NativeLibrary&& other) noexcept {
    swap(other);
}

NativeLibrary& NativeLibrary::operator=(NativeLibrary&& other) noexcept {
    NativeLibrary taken(std::move(other));
    swap(taken);
    return *this;
}

void NativeLibrary::swap(NativeLibrary& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(handle_, other.handle_);
    std::swap(entry_, other.entry_);
}

Complaint NativeLibrary::open(std::span<const std::byte> bytes, const std::string& entry,
                              NativeLibrary& out) {
    NativeLibrary library;
    library.fd_ = make_memory_file();
    if (library.fd_ < 0) return system_refusal("memfd_create");
    if (!write_all(library.fd_, bytes)) return system_refusal("write");
    // Nobody who finds the descriptor can change or cut what is mapped.
    if (::fcntl(library.fd_, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        return system_refusal("fcntl");
    library.handle_ = ::dlopen(unseen_path(library.fd_).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ == nullptr) {
        const char* reason = ::dlerror();
        return refuse("the library of the package cannot be loaded: " +
                      printable(reason != nullptr ? reason : "no reason given", 300));
    }
    void* found = ::dlsym(library.handle_, entry.c_str());
    if (found == nullptr) return refuse("the library of the package has no function '" + entry + "'");
    library.entry_ = reinterpret_cast<nrt_xtc_model_entry_fn>(found);
    out = std::move(library);
    return {};
}

} // namespace xtc::nrt
