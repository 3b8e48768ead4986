// SPDX-License-Identifier: ISC
//
// The batch engine against its reference model for as many steps as asked, from as many seeds as that takes.
//
//     soak-property [STEPS [SEED]]    STEPS 1: that seed alone, told step by step
#include "batch/model/trial.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    model::Search plan;
    plan.steps = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 20'000'000;
    plan.first_seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
    const model::SearchEnd end = model::search(plan);
    if (end.finding.found) {
        std::printf("cutting down seed %" PRIu64 ": %s\n", end.finding.seed, end.finding.what.c_str());
        std::printf("%s", model::shown(model::shrink(end.finding)).c_str());
        return 1;
    }
    if (plan.steps == 1) std::printf("%s", model::shown(end.finding).c_str());
    std::printf("%" PRIu64 " steps of %" PRIu64 " seeds from %" PRIu64
                " on, no difference; digest %016" PRIx64 "\n",
                end.steps, end.seeds, plan.first_seed, end.digest);
    return 0;
}
