// SPDX-License-Identifier: ISC
#include "nrt/package/package.hpp"
#include "tools/model/commands.hpp"
#include "tools/model/raw_files.hpp"
#include "tools/model/values.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace xtc::model_tool {
namespace {

using nrt::Builtin;
using nrt::Native;
using nrt::Op;
using nrt::TensorSpec;

std::string attrs_text(const Builtin& builtin) {
    char text[64] = "";
    switch (builtin.op) {
    case Op::scale:
        std::snprintf(text, sizeof text, ", factor %.17g", builtin.factor);
        break;
    case Op::sleep:
        std::snprintf(text, sizeof text, ", %" PRId64 " ns", builtin.sleep_ns);
        break;
    case Op::fail:
        std::snprintf(text, sizeof text, ", %s", nrt::status_name(builtin.status));
        break;
    case Op::all_reduce:
        return builtin.reduce == nrt::Reduce::add ? ", add"
                                                  : (builtin.reduce == nrt::Reduce::max ? ", max" : ", min");
    default:
        break;
    }
    return text;
}

void print_runner(const nrt::Manifest& manifest) {
    if (const auto* builtin = std::get_if<Builtin>(&manifest.runner)) {
        std::printf("runner   builtin, %s%s\n", nrt::op_name(builtin->op), attrs_text(*builtin).c_str());
    } else {
        const auto& native = std::get<Native>(manifest.runner);
        std::printf("runner   native, %s of %s\n", native.entry.c_str(), native.library.c_str());
    }
}

void print_tensors(const char* title, const std::vector<TensorSpec>& tensors) {
    std::printf("%s\n", title);
    size_t widest = 0;
    for (const TensorSpec& tensor : tensors) widest = std::max(widest, tensor.name.size());
    for (const TensorSpec& tensor : tensors)
        std::printf("  %-*s  %-8s  %s, %" PRIu64 " bytes\n", static_cast<int>(widest), tensor.name.c_str(),
                    nrt::dtype_name(tensor.dtype), shape_text(tensor).c_str(), tensor.bytes);
}

} // namespace

int list(std::vector<std::string> words) {
    const CommandLine line(std::move(words), {});
    if (line.operands().size() != 1) stop(exit_usage, "list needs PACKAGE");
    const nrt::Blob bytes = read_file(line.operands()[0]);
    nrt::Package package;
    if (const nrt::Complaint why = nrt::open_package(bytes.bytes(), {}, package))
        stop(exit_refused, line.operands()[0] + ": " + text_of(*why));
    std::printf("name     %s\n", package.manifest.name.c_str());
    print_runner(package.manifest);
    print_tensors("inputs", package.manifest.inputs);
    print_tensors("outputs", package.manifest.outputs);
    std::printf("files\n");
    for (const nrt::PackageFile& file : package.files.all())
        std::printf("  %12zu  %s\n", file.contents.size(), file.name.c_str());
    return exit_good;
}

} // namespace xtc::model_tool
