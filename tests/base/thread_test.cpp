// SPDX-License-Identifier: ISC
#include "base/thread.hpp"

#include "support/child.hpp"

#include <xtc.h>

#include <catch2/catch.hpp>

#include <csignal>
#include <string>

namespace {

struct Seen {
    char name[16] = "";
    sigset_t blocked{};
};

void look_around(void* raw) {
    auto* seen = static_cast<Seen*>(raw);
    ::pthread_getname_np(::pthread_self(), seen->name, sizeof(seen->name));
    ::pthread_sigmask(SIG_SETMASK, nullptr, &seen->blocked);
}

} // namespace

TEST_CASE("thread: is named, a long name cut", "[base][thread][threads]") {
    Seen seen;
    xtc::Thread thread;
    REQUIRE(thread.start("xtc-loop/0", look_around, &seen) == XTC_OK);
    thread.join();
    CHECK(std::string(seen.name) == "xtc-loop/0");
    REQUIRE(thread.start("a-name-of-more-than-15", look_around, &seen) == XTC_OK);
    thread.join();
    CHECK(std::string(seen.name) == "a-name-of-more-");
}

// L10: threads the library makes block every signal but those of their own faults and of a profiler.
TEST_CASE("thread: blocks every signal but its own faults, and the maker keeps its mask",
          "[base][thread][threads]") {
    sigset_t before;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    Seen seen;
    xtc::Thread thread;
    REQUIRE(thread.start("masked", look_around, &seen) == XTC_OK);
    thread.join();
    for (const int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
        CHECK(::sigismember(&seen.blocked, open) == 0);
    for (const int deaf : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM, SIGPIPE})
        CHECK(::sigismember(&seen.blocked, deaf) == 1);
    sigset_t after;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int number = 1; number < 32; ++number)
        CHECK(::sigismember(&before, number) == ::sigismember(&after, number));
}

TEST_CASE("thread: one that was not joined is a broken invariant", "[base][thread]") {
    const test::ChildEnd end = test::run_in_child([] {
        xtc::Thread thread;
        if (thread.start(
                "left", [](void*) {}, nullptr) != XTC_OK)
            ::raise(SIGKILL);
    });
    CHECK(end.signal_number == SIGABRT);
}
