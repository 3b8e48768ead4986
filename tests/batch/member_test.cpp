// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/member.hpp"

#include <set>
#include <vector>
#include <utility>

using xtc::Member;
using xtc::MemberList;
using S = xtc::MemberState;

TEST_CASE("a member makes these moves and no other") {
    const std::set<std::pair<S, S>> moves = {
        {S::free, S::handed_in},     {S::free, S::waiting},      {S::handed_in, S::free},
        {S::handed_in, S::finished}, {S::waiting, S::ready},     {S::waiting, S::finished},
        {S::ready, S::stepping},     {S::ready, S::finished},    {S::stepping, S::ready},
        {S::stepping, S::blocked},   {S::stepping, S::finished}, {S::blocked, S::ready},
        {S::blocked, S::finished},   {S::finished, S::free},
    };
    for (size_t from = 0; from < xtc::kMemberStates; ++from)
        for (size_t to = 0; to < xtc::kMemberStates; ++to) {
            CAPTURE(from, to);
            const auto a = static_cast<S>(from), b = static_cast<S>(to);
            CHECK(xtc::legal(a, b) == moves.contains({a, b}));
        }
}

TEST_CASE("every way to free goes through finished, except for a record whose request got a slot") {
    for (size_t from = 0; from < xtc::kMemberStates; ++from) {
        const auto a = static_cast<S>(from);
        CHECK(xtc::legal(a, S::free) == (a == S::finished || a == S::handed_in));
    }
}

TEST_CASE("a list keeps the order of arrival through removals anywhere") {
    Member m[5];
    MemberList list;
    for (Member& each : m) list.push_back(each);
    list.remove(m[2]);
    list.remove(m[0]);
    list.remove(m[4]);
    list.push_back(m[0]);
    std::vector<Member*> order;
    list.drain([&](Member& each) { order.push_back(&each); });
    CHECK(order == std::vector<Member*>{&m[1], &m[3], &m[0]});
    CHECK(list.empty());
    for (const Member& each : m) CHECK(each.in == nullptr);
}
