// SPDX-License-Identifier: ISC
#include "nrt/package/model.hpp"
#include "tools/model/commands.hpp"
#include "tools/model/raw_files.hpp"
#include "tools/model/values.hpp"

#include <algorithm>
#include <cstdio>

#include <poll.h>

namespace xtc::model_tool {
namespace {

using nrt::Blob;
using nrt::TensorSpec;
using Pairs = std::vector<std::pair<std::string, std::string>>;

void sleep_for_real(void*, int64_t ns) {
    const timespec span{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    ::ppoll(nullptr, 0, &span, nullptr);
}

std::unique_ptr<nrt::Model> load(const std::string& path, bool allow_native) {
    const Blob bytes = read_file(path);
    nrt::LoadOptions options;
    options.allow_native = allow_native;
    std::unique_ptr<nrt::Model> model;
    if (const nrt::Complaint why = nrt::Model::load(bytes.bytes(), options, model))
        stop(exit_refused, path + ": " + text_of(*why));
    return model;
}

const std::string* file_of(const Pairs& pairs, const std::string& tensor) {
    for (const auto& [name, file] : pairs)
        if (name == tensor) return &file;
    return nullptr;
}

void require_known(const Pairs& pairs, const std::vector<TensorSpec>& tensors, const char* what) {
    for (const auto& [name, file] : pairs)
        if (std::none_of(tensors.begin(), tensors.end(), [&](const TensorSpec& t) { return t.name == name; }))
            stop(exit_usage, std::string("the model has no ") + what + " '" + name + "'");
}

Blob zeros(size_t size) {
    Blob blob(size);
    blob.clear();
    return blob;
}

Blob from_file(const TensorSpec& tensor, const std::string& path, bool pad) {
    const Blob contents = read_file(path);
    if (contents.size() != tensor.bytes && (!pad || contents.size() > tensor.bytes))
        stop(exit_usage, "input '" + tensor.name + "' has " + std::to_string(tensor.bytes) + " bytes, " +
                             path + " has " + std::to_string(contents.size()));
    Blob blob = zeros(tensor.bytes);
    std::copy_n(contents.data(), contents.size(), blob.data());
    return blob;
}

std::vector<Blob> make_inputs(const nrt::Manifest& manifest, const CommandLine& line) {
    const Pairs given = line.pairs("--in");
    require_known(given, manifest.inputs, "input");
    const std::string fill = line.value("--fill", "");
    if (fill != "" && fill != "zeros" && fill != "random")
        stop(exit_usage, "--fill is zeros or random, not '" + fill + "'");
    Prng prng(line.number("--seed", 0));
    std::vector<Blob> inputs;
    for (const TensorSpec& tensor : manifest.inputs) {
        const std::string* path = file_of(given, tensor.name);
        if (path == nullptr && fill.empty())
            stop(exit_usage, "input '" + tensor.name + "' needs --in " + tensor.name + "=FILE, or --fill");
        inputs.push_back(path != nullptr ? from_file(tensor, *path, line.has("--pad")) : zeros(tensor.bytes));
        if (path == nullptr && fill == "random")
            fill_random(tensor.dtype, {inputs.back().data(), inputs.back().size()}, prng);
    }
    return inputs;
}

unsigned long long most_values(const CommandLine& line) {
    return line.value("--print", "") == "all" ? ~0ull : line.number("--print", 16);
}

void give_outputs(const nrt::Manifest& manifest, const Pairs& wanted, const std::vector<Blob>& outputs,
                  unsigned long long most) {
    const bool stdout_is_taken =
        std::any_of(wanted.begin(), wanted.end(), [](const auto& pair) { return pair.second == "-"; });
    for (size_t i = 0; i < outputs.size(); ++i) {
        const TensorSpec& tensor = manifest.outputs[i];
        const std::string* path = file_of(wanted, tensor.name);
        if (path == nullptr) {
            if (!stdout_is_taken)
                std::printf("%s %s %s: %s\n", tensor.name.c_str(), nrt::dtype_name(tensor.dtype),
                            shape_text(tensor).c_str(),
                            values_text(tensor.dtype, outputs[i].bytes(), most).c_str());
        } else if (*path == "-") {
            write_stdout(outputs[i].bytes());
        } else {
            write_file(*path, outputs[i].bytes());
        }
    }
}

nrt::Outcome run_times(nrt::Model& model, const std::vector<Blob>& inputs, std::vector<Blob>& outputs,
                       unsigned long long times) {
    std::vector<nrt::InBuffer> in;
    std::vector<nrt::OutBuffer> out;
    for (const Blob& input : inputs) in.push_back({input.data(), input.size()});
    for (Blob& output : outputs) out.push_back({output.data(), output.size()});
    nrt::Outcome outcome;
    for (unsigned long long i = 0; i < times && outcome.status == nrt::Status::success; ++i)
        outcome = model.run(in, out, {sleep_for_real, nullptr});
    return outcome;
}

} // namespace

int run(std::vector<std::string> words) {
    const CommandLine line(std::move(words), {{"--in", true},
                                              {"--pad", false},
                                              {"--fill", true},
                                              {"--seed", true},
                                              {"--out", true},
                                              {"--print", true},
                                              {"--repeat", true},
                                              {"--no-native", false}});
    if (line.operands().size() != 1) stop(exit_usage, "run needs PACKAGE");
    const unsigned long long times = line.number("--repeat", 1);
    const unsigned long long most = most_values(line);
    const auto model = load(line.operands()[0], !line.has("--no-native"));
    const nrt::Manifest& manifest = model->manifest();
    const Pairs wanted = line.pairs("--out");
    require_known(wanted, manifest.outputs, "output");
    const std::vector<Blob> inputs = make_inputs(manifest, line);
    std::vector<Blob> outputs;
    for (const TensorSpec& tensor : manifest.outputs) outputs.push_back(zeros(tensor.bytes));

    const nrt::Outcome outcome = run_times(*model, inputs, outputs, times);
    using nrt::Status;
    if (outcome.status == Status::success || outcome.status == Status::exec_completed_with_num_err)
        give_outputs(manifest, wanted, outputs, most);
    if (outcome.status == Status::success) return exit_good;
    const auto code = static_cast<int32_t>(outcome.status);
    stop(exit_refused, "the model ended with " + std::string(nrt::status_name(code)) + " (" +
                           std::to_string(code) + ")" +
                           (outcome.is_fatal ? "; a device would need to be initialised again" : ""));
}

} // namespace xtc::model_tool
