// SPDX-License-Identifier: ISC
//
// Engine and reference model through the same generated calls, turn by turn; ./run soak property goes on for
// longer. What differs is cut down to the shortest script that shows it.
#include <catch2/catch.hpp>

#include "batch/model/trial.hpp"

using namespace model;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kSteps = 30'000;
#else
constexpr uint64_t kSteps = 300'000;
#endif

} // namespace

TEST_CASE("batch: the engine does what the reference model says, call by call and turn by turn") {
    const SearchEnd end = search({1, kSteps});
    if (end.finding.found) FAIL(shown(shrink(end.finding)));
    CHECK(end.steps >= kSteps);
    CHECK(end.seeds > 100);
}

TEST_CASE("batch: the same seeds give the same duels") {
    const SearchEnd once = search({1000, 5'000});
    const SearchEnd again = search({1000, 5'000});
    CHECK(once.digest != 0);
    CHECK(once.digest == again.digest);
    CHECK(once.steps == again.steps);
}
