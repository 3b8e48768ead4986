// SPDX-License-Identifier: ISC
//
// xtc-model: makes, shows, checks and runs packages of the CPU device.
#include "tools/model/commands.hpp"

#include <cstdio>
#include <exception>

namespace xtc::model_tool {
namespace {

constexpr const char usage_all[] =
    "usage: xtc-model COMMAND [ARGUMENTS]\n"
    "\n"
    "  pack FOLDER PACKAGE   make a package of a folder that has a model.json\n"
    "  list PACKAGE          what is in it: runner, tensors, files\n"
    "  check PACKAGE...      whether nrt_load would take it, and if not why\n"
    "  run PACKAGE           run it once, on this machine\n"
    "\n"
    "xtc-model COMMAND --help explains a command, xtc-model(1) everything.\n";

constexpr const char usage_pack[] =
    "usage: xtc-model pack [--gzip] [--add NAME=FILE]... FOLDER PACKAGE\n"
    "\n"
    "  --add NAME=FILE   a file from elsewhere, under this name\n"
    "  --gzip            compress; a PACKAGE that ends in .gz or .tgz always is\n"
    "\n"
    "PACKAGE - is standard output. The same files give the same bytes.\n";

constexpr const char usage_list[] = "usage: xtc-model list PACKAGE\n";

constexpr const char usage_check[] =
    "usage: xtc-model check [--load] PACKAGE...\n"
    "\n"
    "  --load   also load the library of a native package, which runs code of it\n";

constexpr const char usage_run[] =
    "usage: xtc-model run [OPTIONS] PACKAGE\n"
    "\n"
    "  --in NAME=FILE     an input: raw bytes, - for standard input\n"
    "  --pad              fill up short files with zeros\n"
    "  --fill HOW         the other inputs: zeros or random\n"
    "  --seed N           of random (0)\n"
    "  --out NAME=FILE    write an output: raw bytes, - for standard output\n"
    "  --print N          print so many values of each other output (16), or all\n"
    "  --repeat N         run N times (1), with the same inputs, until one does not succeed\n"
    "  --no-native        refuse packages that bring code\n";

struct Command {
    const char* name;
    int (*work)(std::vector<std::string> words);
    const char* usage;
};

constexpr Command commands[] = {
    {"pack", pack, usage_pack},
    {"list", list, usage_list},
    {"check", check, usage_check},
    {"run", run, usage_run},
};

bool is_help(const std::string& word) {
    return word == "--help" || word == "-h";
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        std::fputs(usage_all, stderr);
        return exit_usage;
    }
    if (is_help(words[0])) {
        std::fputs(usage_all, stdout);
        return exit_good;
    }
    for (const Command& command : commands) {
        if (words[0] != command.name) continue;
        if (words.size() > 1 && is_help(words[1])) {
            std::fputs(command.usage, stdout);
            return exit_good;
        }
        const int code = command.work({words.begin() + 1, words.end()});
        if (std::fflush(stdout) != 0) stop(exit_io, "cannot write standard output");
        return code;
    }
    stop(exit_usage, "there is no command '" + words[0] + "'; xtc-model --help lists them");
}

} // namespace

std::string text_of(const nrt::Refusal& refusal) {
    return std::string(nrt::status_name(static_cast<int32_t>(refusal.status))) + ": " + refusal.sentence;
}

} // namespace xtc::model_tool

int main(int argc, char** argv) {
    using namespace xtc::model_tool;
    try {
        return dispatch({argv + 1, argv + argc});
    } catch (const Trouble& trouble) {
        std::fprintf(stderr, "xtc-model: %s\n", trouble.sentence.c_str());
        return trouble.code;
    } catch (const std::exception& error) { // memory, above all
        std::fprintf(stderr, "xtc-model: %s\n", error.what());
        return exit_io;
    }
}
