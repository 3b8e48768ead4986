// SPDX-License-Identifier: ISC
#include "nrt/package/model.hpp"
#include "tools/model/commands.hpp"
#include "tools/model/raw_files.hpp"

#include <algorithm>
#include <cstdio>

namespace xtc::model_tool {
namespace {

nrt::Complaint complaint_about(const std::string& path, bool load) {
    const nrt::Blob bytes = read_file(path);
    if (load) {
        std::unique_ptr<nrt::Model> model;
        return nrt::Model::load(bytes.bytes(), {}, model);
    }
    nrt::Package package;
    return nrt::open_package(bytes.bytes(), {}, package);
}

} // namespace

int check(std::vector<std::string> words) {
    const CommandLine line(std::move(words), {{"--load", false}});
    if (line.operands().empty()) stop(exit_usage, "check needs PACKAGE");
    int code = exit_good;
    for (const std::string& path : line.operands()) {
        try {
            const nrt::Complaint why = complaint_about(path, line.has("--load"));
            std::printf("%s: %s\n", path.c_str(), why ? text_of(*why).c_str() : "good");
            if (why) code = std::max<int>(code, exit_refused);
        } catch (const Trouble& trouble) { // the others are still of interest
            std::fflush(stdout);
            std::fprintf(stderr, "xtc-model: %s\n", trouble.sentence.c_str());
            code = trouble.code;
        }
    }
    return code;
}

} // namespace xtc::model_tool
