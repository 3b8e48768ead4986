// SPDX-License-Identifier: ISC
#include "nrt/package/model.hpp"

#include <cxxabi.h>

namespace xtc::nrt {
namespace {

constexpr uint64_t light_bytes = 64 * 1024;

Status status_of(int returned) noexcept {
    return status_name(returned) != nullptr ? static_cast<Status>(returned) : Status::exec_completed_with_err;
}

} // namespace

Complaint Model::load(std::span<const std::byte> bytes, const LoadOptions& options,
                      std::unique_ptr<Model>& out) try {
    Package package;
    if (Complaint why = open_package(bytes, options.limits, package)) return why;
    std::unique_ptr<Model> model(new Model);
    if (Complaint why = model->prepare(std::move(package), options)) return why;
    out = std::move(model);
    return {};
} catch (const std::bad_alloc&) {
    return Refusal{Status::resource, "not enough memory for the model"};
}

Complaint Model::prepare(Package package, const LoadOptions& options) {
    if (options.world == 0 || options.rank >= options.world) return refuse("the rank is outside the world");
    package_ = std::move(package);
    for (const TensorSpec& tensor : manifest().inputs)
        in_.push_back({tensor.name.c_str(), nullptr, static_cast<size_t>(tensor.bytes)});
    for (const TensorSpec& tensor : manifest().outputs)
        out_.push_back({tensor.name.c_str(), nullptr, static_cast<size_t>(tensor.bytes)});
    if (const auto* builtin = std::get_if<Builtin>(&manifest().runner)) {
        if (builtin->op == Op::all_reduce && options.world != 1)
            return refuse("op 'all_reduce' is for a world of one, not of " + std::to_string(options.world));
        if (builtin->op == Op::matmul) sgemm_ = load_sgemm();
        return {};
    }
    if (!options.allow_native)
        return refuse("the package is native, and packages that bring code are refused "
                      "here (XTC_NRT_ALLOW_NATIVE=0, or --no-native)");
    const auto& native = std::get<Native>(manifest().runner);
    scratch_ = Blob(NRT_XTC_MODEL_SCRATCH_BYTES);
    scratch_.clear();
    call_ = {
        .size = sizeof(call_),
        .version = NRT_XTC_MODEL_CALL_VERSION,
        .n_in = static_cast<uint32_t>(in_.size()),
        .in = in_.data(),
        .n_out = static_cast<uint32_t>(out_.size()),
        .rank = options.rank,
        .out = out_.data(),
        .world = options.world,
        .reserved = 0,
        .file = find_file,
        .scratch = scratch_.data(),
        .scratch_bytes = scratch_.size(),
        .runtime = this,
    };
    return NativeLibrary::open(files().find(native.library)->contents.bytes(), native.entry, library_);
}

bool Model::is_light() const noexcept {
    const auto* builtin = std::get_if<Builtin>(&manifest().runner);
    if (builtin == nullptr || builtin->op == Op::matmul || builtin->op == Op::sleep) return false;
    return manifest().outputs[0].bytes <= light_bytes;
}

bool Model::take_buffers(std::span<const InBuffer> in, std::span<const OutBuffer> out) noexcept {
    if (in.size() != in_.size() || out.size() != out_.size()) return false;
    for (size_t i = 0; i < in.size(); ++i) {
        if (in[i].data == nullptr || in[i].bytes != in_[i].bytes) return false;
        in_[i].data = in[i].data;
    }
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i].data == nullptr || out[i].bytes != out_[i].bytes) return false;
        out_[i].data = out[i].data;
    }
    return true;
}

int Model::find_file(const nrt_xtc_model_call_t* call, const char* name, const void** data, size_t* bytes) {
    if (name == nullptr) return 1;
    const PackageFile* file = static_cast<const Model*>(call->runtime)->files().find(name);
    if (file == nullptr) return 1;
    if (data != nullptr) *data = file->contents.data();
    if (bytes != nullptr) *bytes = file->contents.size();
    return 0;
}

// An entry must not throw; one that does all the same has failed and takes nothing down with it. A thread or
// fiber that is being ended is no such failure.
Status Model::call_entry() {
    try {
        return status_of(library_.entry()(&call_));
    } catch (const abi::__forced_unwind&) {
        throw;
    } catch (...) {
        return Status::exec_completed_with_err;
    }
}

Outcome Model::run(std::span<const InBuffer> in, std::span<const OutBuffer> out, const Sleeper& sleeper) {
    if (!take_buffers(in, out)) return {Status::exec_bad_input, false};
    if (const auto* builtin = std::get_if<Builtin>(&manifest().runner))
        return run_builtin(manifest(), *builtin, in_, out_, sgemm_, sleeper);
    return {call_entry(), false};
}

} // namespace xtc::nrt
