// SPDX-License-Identifier: ISC
#include "models.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace xtc::model {

namespace {

// A bigger bound, for a night: XTC_MODEL_EXECUTIONS=50000000 test-model.
uint64_t bound(uint64_t standard) {
    const char* wanted = std::getenv("XTC_MODEL_EXECUTIONS");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : standard;
}

// As a comment of TAP: a line of its own for every line.
void say(const std::string& text) {
    size_t begin = 0;
    while (begin < text.size()) {
        size_t end = text.find('\n', begin);
        if (end == std::string::npos) end = text.size();
        std::printf("# %.*s\n", static_cast<int>(end - begin), text.data() + begin);
        begin = end + 1;
    }
    std::fflush(stdout);
}

Result timed(const Plan& plan, const Model& model) {
    const auto begun = std::chrono::steady_clock::now();
    Result result = explore(plan, model);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%.2f s, ", took.count());
    say(seconds + describe(plan, result));
    return result;
}

} // namespace

void check_holds(const char* name, const Model& model) {
    Plan plan;
    plan.name = name;
    plan.most_executions = bound(plan.most_executions);
    const Result result = timed(plan, model);
    CHECK(result.failure == "");
    CHECK(result.is_complete);
}

void check_catches(const char* name, const Fault& fault, const Model& model, const char* why) {
    Plan plan;
    plan.name = std::string(name) + ", planted";
    plan.faults = {fault};
    const Result result = explore(plan, model);
    INFO(plan.name << ": " << result.executions << " executions");
    CHECK(result.fault_hits > 0);
    CHECK_FALSE(result.failure.empty());
    CHECK_THAT(result.failure, Catch::Contains(why));
    if (std::getenv("XTC_MODEL_TRACES") != nullptr) say(describe(plan, result));
}

} // namespace xtc::model
