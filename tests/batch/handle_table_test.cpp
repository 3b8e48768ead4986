// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/handle_table.hpp"
#include "batch/member.hpp"

#include <xtc.h>

#include <map>
#include <random>
#include <vector>

using xtc::HandleTable;
using xtc::Member;

TEST_CASE("the table answers like a map through random insertions and removals") {
    const size_t most = GENERATE(1, 2, 3, 7, 64, 1000);
    HandleTable table;
    REQUIRE(table.init(most) == XTC_OK);
    std::vector<Member> members(most);
    std::map<uint64_t, Member*> truth;
    std::mt19937_64 random(most);
    uint64_t next = 1;
    for (int round = 0; round < 20000; ++round) {
        if (truth.size() < most && random() % 2 == 0) {
            Member* m = &members[random() % most];
            table.insert(next, m);
            truth[next++] = m;
        } else if (!truth.empty()) {
            auto victim = truth.lower_bound(random() % next);
            if (victim == truth.end()) victim = truth.begin();
            table.erase(victim->first);
            truth.erase(victim);
        }
        const uint64_t asked = random() % (next + 2);
        const auto found = truth.find(asked);
        if (table.find(asked) != (found == truth.end() ? nullptr : found->second))
            FAIL("differs at " << asked);
    }
    CHECK(table.size() == truth.size());
    for (const auto& [handle, m] : truth) CHECK(table.find(handle) == m);
}

TEST_CASE("a request that moved is found at its new place") {
    HandleTable table;
    REQUIRE(table.init(2) == XTC_OK);
    Member a, b;
    table.insert(UINT64_MAX, &a);
    table.replace(UINT64_MAX, &b);
    CHECK(table.find(UINT64_MAX) == &b);
    CHECK(table.find(0) == nullptr);
}
