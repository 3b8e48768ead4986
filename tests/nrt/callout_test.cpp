// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <optional>
#include <thread>

#include "nrt/callout.hpp"
#include "support/loops.hpp"
#include "xtc_proc.h"

using namespace xtc::nrt;
using namespace xtc::test;

TEST_CASE("A thread is inside a callout as long as one is on its stack", "[nrt][callout]") {
    CHECK_FALSE(Callout::is_inside());
    {
        const Callout call(Callout::Kind::call);
        CHECK(Callout::is_inside());
        CHECK_FALSE(Callout::is_awaited_by_core());
        {
            const Callout core(Callout::Kind::core);
            CHECK(Callout::is_awaited_by_core());
            bool elsewhere = true;
            std::thread([&] { elsewhere = Callout::is_inside(); }).join();
            CHECK_FALSE(elsewhere);
        }
        CHECK(Callout::is_inside());
        CHECK_FALSE(Callout::is_awaited_by_core());
    }
    CHECK_FALSE(Callout::is_inside());
}

// Two callbacks of one loop that both wait for something end in any order.
TEST_CASE("Each fiber of a loop is inside its own callouts only", "[nrt][callout]") {
    int wrong = 0;
    TestLoop loop;
    for (const int64_t ms : {3, 1, 2})
        loop.proc([&wrong, ms] {
            const Callout callout(Callout::Kind::core);
            xtc_proc_sleep(ms * 1'000'000);
            if (!Callout::is_awaited_by_core()) ++wrong;
        });
    loop.proc([&wrong] {
        for (int i = 0; i < 5; ++i) {
            if (Callout::is_inside()) ++wrong;
            xtc_proc_sleep(1'000'000);
        }
    });
    loop.run();
    CHECK(wrong == 0);
    CHECK_FALSE(Callout::is_inside());
}

// The stack of a parked fiber goes with its loop, and is not unwound.
TEST_CASE("A callout that goes with its fiber's loop is forgotten", "[nrt][callout]") {
    std::optional<TestLoop> loop;
    loop.emplace();
    loop->proc([] {
        const Callout callout(Callout::Kind::core);
        xtc_proc_sleep(INT64_MAX);
    });
    xtc_loop_step(*loop, 0);
    loop.reset();
    { const Callout next(Callout::Kind::call); } // goes along the list
    CHECK_FALSE(Callout::is_inside());
}
