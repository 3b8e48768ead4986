// SPDX-License-Identifier: ISC
//
// xtc-sim: seeded simulations of libxtc. Manual: xtc-sim(1).
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runner.hpp"
#include "swarm.hpp"
#include "trace.hpp"
#include "xtc.h"

using namespace xtc::sim;

namespace {

constexpr int exit_usage = 2;
constexpr uint64_t too_many = 100; // failed runs are kept in memory, and say little new

struct NamedWorkload {
    const char* name;
    MakeWorkload make;
};
constexpr NamedWorkload workloads[] = {{"batch", make_batch_workload}, {"procs", make_procs_workload}};

struct Options {
    uint64_t first = 1, last = 1;
    bool many = false;
    std::string workload = "all";
    bool verbose = false;
    bool check_determinism = false;
};

void print_help() {
    std::puts(
        "usage: xtc-sim [--seed N | --seeds A..B] [--workload batch|procs|all] [--verbose] "
        "[--check-determinism]\n"
        "\n"
        "Runs seeded clients against an unmodified libxtc under a virtual clock and checks what it does.\n"
        "\n"
        "  --seed N              one seed, with the options it drew; 1 without this or the next\n"
        "  --seeds A..B          every seed from A to B, one line for all and one for each that fails\n"
        "  --workload NAME       batch: groups and their clients; procs: processes and their waits; all: "
        "both\n"
        "  --verbose             print the trace of every run\n"
        "  --check-determinism   run each seed twice and compare the traces\n"
        "  --help                this text\n"
        "\n"
        "Exit status: 0 all is well, 1 something was wrong, 2 usage, 3 something did not finish.");
}

bool parse_number(std::string_view text, uint64_t& out) {
    if (text.empty() || text[0] < '0' || text[0] > '9') return false;
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    out = std::strtoull(copy.c_str(), &end, 0);
    return errno == 0 && *end == '\0';
}

bool parse_range(std::string_view text, Options& options) {
    const size_t dots = text.find("..");
    options.many = true;
    return dots != std::string_view::npos && parse_number(text.substr(0, dots), options.first) &&
           parse_number(text.substr(dots + 2), options.last) && options.first <= options.last;
}

bool is_workload(std::string_view name) {
    for (const NamedWorkload& known : workloads) {
        if (name == known.name) return true;
    }
    return name == "all";
}

// False: what is wrong has been said.
bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; i++) {
        const std::string_view arg = argv[i];
        const char* const value = i + 1 < argc ? argv[i + 1] : "";
        bool good = true;
        if (arg == "--seed") {
            good = parse_number(value, options.first);
            options.last = options.first;
            i++;
        } else if (arg == "--seeds") {
            good = parse_range(value, options);
            i++;
        } else if (arg == "--workload") {
            options.workload = value;
            good = is_workload(options.workload);
            i++;
        } else if (arg == "--verbose") {
            options.verbose = true;
        } else if (arg == "--check-determinism") {
            options.check_determinism = true;
        } else {
            std::fprintf(stderr, "xtc-sim: unknown option '%s' (see --help)\n", argv[i]);
            return false;
        }
        if (!good) {
            std::fprintf(stderr, "xtc-sim: '%s' is no value for %s (see --help)\n", value,
                         std::string(arg).c_str());
            return false;
        }
    }
    return true;
}

const char* name_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::ok:
        return "ok";
    case Verdict::correctness:
        return "WRONG";
    case Verdict::liveness:
        return "STUCK";
    }
    return "?";
}

void print_trace(const Trace& trace) {
    for (const TraceEvent& event : trace.kept()) std::printf("  %s\n", describe(event).c_str());
}

void print_result(const RunResult& result) {
    std::printf("  safety   %" PRIu64 " turns\n  liveness %" PRIu64 " turns, %" PRId64
                " us of virtual time in all\n",
                result.safety_steps, result.liveness_steps, result.virtual_ns / 1000);
    std::printf("  %s\n  trace    %016" PRIx64 "  state %016" PRIx64 "\n  result   %s\n",
                result.summary.c_str(), result.trace_hash, result.state_hash, name_of(result.verdict));
}

void print_failure(const NamedWorkload& workload, uint64_t seed, const RunResult& result) {
    std::printf("seed %" PRIu64 " workload %s: %s\n", seed, workload.name, name_of(result.verdict));
    for (const std::string& why : result.why) std::printf("  %s\n", why.c_str());
    std::printf("  replay: xtc-sim --seed %" PRIu64 " --workload %s --verbose\n", seed, workload.name);
}

// The second run of a seed, in the same process.
void compare_runs(const NamedWorkload& workload, uint64_t seed, RunResult& result) {
    const RunResult again = run_seed(seed, workload.make, false);
    if (again.trace_hash == result.trace_hash && again.state_hash == result.state_hash) return;
    if (result.verdict == Verdict::ok) result.verdict = Verdict::correctness;
    result.why.emplace_back("two runs of this seed differ");
    const RunResult left = run_seed(seed, workload.make, true), right = run_seed(seed, workload.make, true);
    const auto difference = first_difference(*left.trace, *right.trace);
    if (!difference) return;
    result.why.push_back("first at event " + std::to_string(difference->number));
    result.why.push_back("  one:   " + difference->left);
    result.why.push_back("  other: " + difference->right);
}

Verdict run_one(const Options& options, const NamedWorkload& workload, uint64_t seed) {
    if (!options.many) {
        std::printf("xtc-sim %s seed=%" PRIu64 " workload=%s\n  %s\n", xtc_version_string(), seed,
                    workload.name, describe(draw_swarm(seed)).c_str());
        std::fflush(stdout); // what a crash leaves to be read
    }
    RunResult result = run_seed(seed, workload.make, options.verbose);
    if (options.check_determinism) compare_runs(workload, seed, result);
    if (options.verbose) print_trace(*result.trace);
    if (!options.many) print_result(result);
    if (result.verdict != Verdict::ok) print_failure(workload, seed, result);
    return result.verdict;
}

} // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
    }
    Options options;
    if (!parse(argc, argv, options)) return exit_usage;
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // a crash must not take with it what was found before

    const int64_t begun = xtc_clock_mono(); // the reader's time: nothing is simulated yet
    uint64_t runs = 0, wrong = 0, stuck = 0;
    for (uint64_t seed = options.first;; seed++) {
        for (const NamedWorkload& workload : workloads) {
            if (options.workload != "all" && options.workload != workload.name) continue;
            const Verdict verdict = run_one(options, workload, seed);
            runs++;
            wrong += verdict == Verdict::correctness ? 1 : 0;
            stuck += verdict == Verdict::liveness ? 1 : 0;
        }
        if (wrong + stuck >= too_many) {
            std::printf("stopped after seed %" PRIu64 ": too much is wrong\n", seed);
            break;
        }
        if (seed == options.last) break;
    }
    if (options.many) {
        const uint64_t tenths = runs * 10'000'000'000 / static_cast<uint64_t>(xtc_clock_mono() - begun + 1);
        std::printf("seeds %" PRIu64 "..%" PRIu64 " workload %s: %" PRIu64 " runs, %" PRIu64
                    " wrong, %" PRIu64 " stuck, %" PRIu64 ".%" PRIu64 " runs/s\n",
                    options.first, options.last, options.workload.c_str(), runs, wrong, stuck, tenths / 10,
                    tenths % 10);
    }
    if (wrong > 0) return static_cast<int>(Verdict::correctness);
    return stuck > 0 ? static_cast<int>(Verdict::liveness) : 0;
}
