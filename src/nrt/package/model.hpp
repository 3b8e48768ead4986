// SPDX-License-Identifier: ISC
//
// A package ready to run.
#pragma once

#include "nrt/package/builtin.hpp"
#include "nrt/package/native_library.hpp"
#include "nrt/package/package.hpp"

#include <memory>
#include <span>
#include <vector>

namespace xtc::nrt {

struct LoadOptions {
    ArchiveLimits limits{};
    bool allow_native = true; // a native package runs its code from here on
    uint32_t rank = 0;
    uint32_t world = 1;
};

struct InBuffer {
    const void* data;
    size_t bytes;
};
struct OutBuffer {
    void* data;
    size_t bytes;
};

class Model {
public:
    static Complaint load(std::span<const std::byte> bytes, const LoadOptions& options,
                          std::unique_ptr<Model>& out);

    const Manifest& manifest() const noexcept { return package_.manifest; }
    const FileSet& files() const noexcept { return package_.files; }

    // Whether a run is short enough for a loop's thread: a builtin that neither waits nor multiplies, over
    // little memory.
    bool is_light() const noexcept;

    // One run at a time; allocates nothing itself. Buffers in the order of the manifest, each of its size and
    // not null: anything else is exec_bad_input, and nothing ran.
    Outcome run(std::span<const InBuffer> in, std::span<const OutBuffer> out, const Sleeper& sleeper);

private:
    Model() = default;
    Complaint prepare(Package package, const LoadOptions& options);
    bool take_buffers(std::span<const InBuffer> in, std::span<const OutBuffer> out) noexcept;
    Status call_entry();
    static int find_file(const nrt_xtc_model_call_t* call, const char* name, const void** data,
                         size_t* bytes);

    // Before the library: what it may still use while it is unloaded.
    Package package_;
    Blob scratch_;
    std::vector<nrt_xtc_model_in_t> in_;
    std::vector<nrt_xtc_model_out_t> out_;
    nrt_xtc_model_call_t call_{};
    Sgemm sgemm_ = nullptr;
    NativeLibrary library_;
};

} // namespace xtc::nrt
