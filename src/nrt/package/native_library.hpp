// SPDX-License-Identifier: ISC
//
// A shared object that never was a file: its bytes in anonymous memory, loaded as a library of its own.
#pragma once

#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <span>
#include <string>

#include "nrt/nrt_xtc_model.h"

namespace xtc::nrt {

class NativeLibrary {
public:
    NativeLibrary() = default;
    ~NativeLibrary();
    NativeLibrary(NativeLibrary&& other) noexcept;
    NativeLibrary& operator=(NativeLibrary&& other) noexcept;

    // `bytes` must have passed elf_fault. Constructors of the library run here.
    static Complaint open(std::span<const std::byte> bytes, const std::string& entry, NativeLibrary& out);

    nrt_xtc_model_entry_fn entry() const noexcept { return entry_; }

private:
    void swap(NativeLibrary& other) noexcept;

    // Open as long as the library is: debuggers and profilers read it under the name it was loaded by.
    int fd_ = -1;
    void* handle_ = nullptr;
    nrt_xtc_model_entry_fn entry_ = nullptr;
};

} // namespace xtc::nrt
