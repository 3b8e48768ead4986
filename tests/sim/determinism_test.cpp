// SPDX-License-Identifier: ISC
//
// The same seed is the same run: in one process with others between, and in processes that differ in
// everything that should not matter.
#include <catch2/catch.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "runner.hpp"
#include "trace.hpp"

using namespace xtc::sim;

namespace {

std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buf[4096];
    while (const size_t n = fread(buf, 1, sizeof buf, pipe)) text.append(buf, n);
    CHECK(pclose(pipe) == 0);
    return text;
}

constexpr MakeWorkload makers[] = {make_batch_workload, make_procs_workload};

} // namespace

TEST_CASE("determinism: a seed gives the same events twice in one process, with other seeds between") {
    for (const MakeWorkload make : makers) {
        std::vector<RunResult> first;
        for (uint64_t seed = 1; seed <= 12; seed++) first.push_back(run_seed(seed, make, true));
        for (uint64_t seed = 12; seed >= 1; seed--) {
            const RunResult again = run_seed(seed, make, true);
            const RunResult& before = first[seed - 1];
            const auto difference = first_difference(*before.trace, *again.trace);
            INFO("seed " << seed << (difference ? ": " + difference->left + " | " + difference->right : ""));
            CHECK_FALSE(difference);
            CHECK(again.trace_hash == before.trace_hash);
            CHECK(again.state_hash == before.state_hash);
            CHECK(again.verdict == Verdict::ok);
        }
    }
}

TEST_CASE("determinism: keeping the trace does not change it") {
    for (const MakeWorkload make : makers) {
        CHECK(run_seed(5, make, true).trace_hash == run_seed(5, make, false).trace_hash);
    }
}

TEST_CASE("determinism: different seeds are different runs") {
    for (const MakeWorkload make : makers) {
        CHECK(run_seed(1, make, false).trace_hash != run_seed(2, make, false).trace_hash);
    }
}

TEST_CASE("determinism: processes agree whatever their addresses, zone, allocator and environment") {
    const std::string command = XTC_SIM_COMMAND;
    for (const char* seed : {"3", "17", "4242"}) {
        const std::string arguments = std::string(" --seed ") + seed;
        const std::string plain = output_of(command + arguments);
        CHECK(plain.find("trace") != std::string::npos);
        CHECK(output_of(command + arguments) == plain);
        CHECK(output_of("setarch -R " + command + arguments) == plain);
        CHECK(output_of("TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 " + command + arguments) == plain);
        CHECK(output_of("MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=4096 " + command +
                        arguments) == plain);
        CHECK(output_of("XTC_IO_BACKEND=epoll env -u HOME BIG=" + std::string(5000, 'x') + " " + command +
                        arguments) == plain);
    }
}
