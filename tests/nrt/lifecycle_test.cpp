// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <string>

#include "nrt/lifecycle.hpp"
#include "nrt/status.hpp"
#include "xtc.h"

using namespace xtc::nrt;

TEST_CASE("The legal moves are init, close, init again, and fork", "[nrt][lifecycle]") {
    constexpr State all[] = {State::start, State::init, State::child, State::closed};
    const auto legal = [](State from, State to) {
        const auto is = [&](State a, State b) { return from == a && to == b; };
        return is(State::start, State::init) || is(State::init, State::closed) ||
               is(State::closed, State::init) || is(State::init, State::child) ||
               is(State::closed, State::child);
    };
    for (const State from : all)
        for (const State to : all) {
            CAPTURE(name_of(from), name_of(to));
            CHECK(may_move(from, to) == legal(from, to));
        }
}

TEST_CASE("States have the vendor's names and numbers", "[nrt][lifecycle]") {
    CHECK(std::string(name_of(State{0})) == "NRT_STATE_START");
    CHECK(std::string(name_of(State{1})) == "NRT_STATE_INIT");
    CHECK(std::string(name_of(State{2})) == "NRT_STATE_CHILD");
    CHECK(std::string(name_of(State{3})) == "NRT_STATE_CLOSED");
}

TEST_CASE("Errors from below have a status", "[nrt][status]") {
    CHECK(status_of(XTC_OK) == NRT_SUCCESS);
    CHECK(status_of(XTC_E_INVAL) == NRT_INVALID);
    CHECK(status_of(XTC_E_AGAIN) == NRT_TIMEOUT);
    CHECK(status_of(XTC_E_NOMEM) == NRT_RESOURCE);
    CHECK(status_of(XTC_E_RESOURCE) == NRT_RESOURCE);
    CHECK(status_of(XTC_E_DEADLK) == NRT_FAILURE);
}
