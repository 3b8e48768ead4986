// SPDX-License-Identifier: ISC
#include "check_procs.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include "xtc.h"

using namespace xtc::sim;

namespace {

void live_and_end(ProcsOracle& oracle, size_t proc) {
    oracle.spawned(proc, 2);
    oracle.started(proc);
    oracle.registered_hook(proc, 0);
    oracle.registered_hook(proc, 1);
    oracle.unwound(proc);
    oracle.hook_ran(proc, 1);
    oracle.hook_returned(proc);
    oracle.hook_ran(proc, 0);
    oracle.hook_returned(proc);
}

std::string first(const Complaints& complaints) {
    return complaints.none() ? "" : complaints.texts()[0];
}

} // namespace

TEST_CASE("procs oracle: a correct history passes") {
    Complaints complaints;
    ProcsOracle oracle(complaints);
    live_and_end(oracle, 1);
    oracle.spawned(2, 2); // killed before it ran
    oracle.kill_asked(2, true);
    oracle.spawned(3, 2);
    oracle.sent(1, 3, 1, XTC_OK);
    oracle.sent(1, 3, 2, XTC_OK);
    oracle.sent(1, 3, 3, XTC_E_AGAIN);
    oracle.saw_mail(3);
    oracle.received(1, 3, 3, 1);
    oracle.sent(3, 1, 1, XTC_E_INVAL);
    oracle.sent(3, 2, 1, XTC_E_INVAL);
    oracle.slept(10, 10);
    oracle.timed_out("receive", 5, 7);
    const uint64_t a = oracle.timer_set(100), b = oracle.timer_set(200);
    oracle.timer_fired(a, 100);
    oracle.timer_cancelled(b);
    live_and_end(oracle, 3);
    oracle.all_asleep();
    oracle.finished();
    CHECK(first(complaints) == "");
    CHECK(oracle.ended() == 2);
    CHECK(oracle.killed() == 1);
}

TEST_CASE("procs oracle: each planted fault is caught") {
    struct Fault {
        const char* words;
        std::function<void(ProcsOracle&)> plant;
    };
    const std::vector<Fault> faults = {
        {"came back from a wait",
         [](ProcsOracle& o) {
             o.kill_asked(1, true);
             o.parks(1, false);
             o.returned(1);
         }},
        {"did not find",
         [](ProcsOracle& o) {
             o.spawned(1, 2);
             o.kill_asked(1, false);
         }},
        {"out of order",
         [](ProcsOracle& o) {
             o.registered_hook(1, 0);
             o.registered_hook(1, 1);
             o.unwound(1);
             o.hook_ran(1, 0);
         }},
        {"or twice",
         [](ProcsOracle& o) {
             live_and_end(o, 1);
             o.hook_ran(1, 0);
         }},
        {"before its stack was left",
         [](ProcsOracle& o) {
             o.registered_hook(1, 0);
             o.hook_ran(1, 0);
         }},
        {"after its hooks",
         [](ProcsOracle& o) {
             o.registered_hook(1, 0);
             o.hook_ran(1, 0);
             o.unwound(1);
         }},
        {"left its stack twice",
         [](ProcsOracle& o) {
             o.unwound(1);
             o.unwound(1);
         }},
        {"started twice",
         [](ProcsOracle& o) {
             o.started(1);
             o.started(1);
         }},
        {"never left its stack",
         [](ProcsOracle& o) {
             o.spawned(1, 2);
             o.finished();
         }},
        {"hooks that never ran",
         [](ProcsOracle& o) {
             o.spawned(1, 2);
             o.started(1);
             o.registered_hook(1, 0);
             o.unwound(1);
             o.finished();
         }},
        {"never returned",
         [](ProcsOracle& o) {
             live_and_end(o, 1);
             o.registered_hook(1, 0);
             o.hook_ran(1, 0);
             o.finished();
         }},
        {"never sent", [](ProcsOracle& o) { o.received(1, 2, 2, 1); }},
        {"came twice",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.sent(1, 2, 1, XTC_OK);
             o.received(1, 2, 2, 1);
             o.received(1, 2, 2, 1);
         }},
        {"overtook",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.sent(1, 2, 1, XTC_OK);
             o.sent(1, 2, 2, XTC_OK);
             o.received(1, 2, 2, 2);
         }},
        {"a message for 2",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.sent(1, 2, 1, XTC_OK);
             o.received(1, 2, 3, 1);
         }},
        {"for a full mailbox",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             for (uint64_t i = 1; i <= 3; i++) o.sent(1, 2, i, XTC_OK);
         }},
        {"was full with 1",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.sent(1, 2, 1, XTC_OK);
             o.sent(1, 2, 2, XTC_E_AGAIN);
         }},
        {"answered -1",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.sent(1, 2, 1, XTC_E_INVAL);
         }},
        {"for the ended process",
         [](ProcsOracle& o) {
             live_and_end(o, 2);
             o.sent(1, 2, 1, XTC_OK);
         }},
        {"mail it has not",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.saw_mail(2);
         }},
        {"sleeps for ever with 1",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.started(2);
             o.receives(2);
             o.sent(1, 2, 1, XTC_OK);
             o.all_asleep();
         }},
        {"killed process 2 sleeps",
         [](ProcsOracle& o) {
             o.spawned(2, 2);
             o.started(2);
             o.kill_asked(2, true);
             o.all_asleep();
         }},
        {"a sleep of 10 ns took 9", [](ProcsOracle& o) { o.slept(10, 9); }},
        {"gave up after 4", [](ProcsOracle& o) { o.timed_out("receive", 5, 4); }},
        {"timeout -1", [](ProcsOracle& o) { o.timed_out("receive", -1, 4); }},
        {"1 ns early", [](ProcsOracle& o) { o.timer_fired(o.timer_set(100), 99); }},
        {"fired twice",
         [](ProcsOracle& o) {
             const uint64_t timer = o.timer_set(100);
             o.timer_fired(timer, 100);
             o.timer_fired(timer, 101);
         }},
        {"after its cancel",
         [](ProcsOracle& o) {
             const uint64_t timer = o.timer_set(100);
             o.timer_cancelled(timer);
             o.timer_fired(timer, 100);
         }},
        {"never fired",
         [](ProcsOracle& o) {
             o.timer_set(100);
             o.finished();
         }},
    };
    for (const Fault& fault : faults) {
        Complaints complaints;
        ProcsOracle oracle(complaints);
        fault.plant(oracle);
        INFO("expected: " << fault.words << "; said: " << first(complaints));
        bool found = false;
        for (const std::string& text : complaints.texts())
            found |= text.find(fault.words) != std::string::npos;
        CHECK(found);
    }
}
