// SPDX-License-Identifier: ISC
#include "base/assert.hpp"

#include "support/child.hpp"

#include <catch2/catch.hpp>

#include <csignal>

TEST_CASE("assert: a condition that holds costs nothing visible", "[base][assert]") {
    int evaluated = 0;
    XTC_ASSERT(++evaluated == 1);
    CHECK(evaluated == 1);
}

TEST_CASE("assert: a broken invariant writes one line naming it and aborts", "[base][assert]") {
    const test::ChildEnd end = test::run_in_child([] {
        const int answer = 41;
        XTC_ASSERT(answer == 42);
    });
    CHECK(end.signal_number == SIGABRT);
    CHECK(end.stderr_text.find("libxtc: tests/base/assert_test.cpp:") == 0);
    CHECK(end.stderr_text.find(": assertion failed: answer == 42\n") != std::string::npos);
}

TEST_CASE("assert: unreachable code aborts when it is reached", "[base][assert]") {
    const test::ChildEnd end = test::run_in_child([] { XTC_UNREACHABLE(); });
    CHECK(end.signal_number == SIGABRT);
    CHECK(end.stderr_text.find("unreachable code\n") != std::string::npos);
}

TEST_CASE("assert: a costly check is evaluated only in builds that ask for it", "[base][assert]") {
    int evaluated = 0;
    XTC_DASSERT(++evaluated == 1);
#ifdef XTC_DEBUG_CHECKS
    CHECK(evaluated == 1);
#else
    CHECK(evaluated == 0);
#endif
}
