// SPDX-License-Identifier: ISC
// The cell behind a promise and a future, through the public calls, between plain threads. That the cell is
// freed once, by the last of the two, and not touched afterwards is checked by the explorer in every model.
#include <catch2/catch.hpp>

#include "base/atomic.hpp"
#include "models.hpp"
#include "xtc.h"
#include "xtc_future.h"

using namespace xtc::model;

namespace {

struct Pair {
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    int left = 0; // written before the promise is kept
};

Pair& make_pair_of(Scene& scene) {
    Pair& p = scene.make<Pair>();
    check(xtc_future_new_pair(&p.promise, &p.future) == XTC_OK, "a pair is made");
    scene.name(p.promise, 64, {"cell.word", "cell.abandoned", "cell.refs"});
    return p;
}

void keep(Pair& p) {
    p.left = 7;
    check(xtc_promise_set(p.promise, 42, XTC_OK) == XTC_OK, "set");
}

void wait_for_value(Pair& p) {
    intptr_t value = 0;
    check(xtc_future_wait(p.future, &value, -1) == XTC_OK && value == 42, "the value of the promise");
    check(p.left == 7, "what was written before the promise was kept");
    outcome("value");
}

void set_and_wait(Scene& scene) {
    Pair& p = make_pair_of(scene);
    scene.thread("setter", [&p] { keep(p); });
    scene.thread("reader", [&p] { wait_for_value(p); });
}

void drop_and_wait(Scene& scene) {
    Pair& p = make_pair_of(scene);
    scene.thread("setter", [&p] { xtc_promise_drop(p.promise); });
    scene.thread("reader", [&p] {
        intptr_t value = 0;
        check(xtc_future_wait(p.future, &value, -1) == XTC_E_ABORTED, "a dropped promise says so");
    });
}

// A wait that runs out of time leaves the future as it was.
void set_and_short_wait(Scene& scene) {
    Pair& p = make_pair_of(scene);
    scene.thread("setter", [&p] { keep(p); });
    scene.thread("reader", [&p] {
        intptr_t value = 0;
        const int rc = xtc_future_wait(p.future, &value, 1000);
        if (rc == XTC_E_AGAIN) {
            outcome("late ");
            return wait_for_value(p);
        }
        check(rc == XTC_OK && value == 42, "the value of the promise");
        outcome("in time");
    });
}

void set_and_discard(Scene& scene) {
    Pair& p = make_pair_of(scene);
    scene.thread("setter", [&p] {
        const int gone = xtc_promise_abandoned(p.promise);
        check(gone == 0 || gone == 1, "abandoned or not");
        keep(p);
    });
    scene.thread("reader", [&p] { xtc_future_discard(p.future); });
}

// Looks first, and waits only when it is ready: never sleeps.
void set_and_look(Scene& scene) {
    Pair& p = make_pair_of(scene);
    scene.thread("setter", [&p] { keep(p); });
    scene.thread("reader", [&p] {
        int ready = 0;
        xtc_future_ready(p.future, &ready);
        if (ready != 0) {
            wait_for_value(p);
        } else {
            xtc_future_discard(p.future);
            outcome("not yet");
        }
    });
}

} // namespace

TEST_CASE("future: one end is delivered, once, whoever comes first") {
    check_holds("future, set and wait", set_and_wait);
    check_holds("future, drop and wait", drop_and_wait);
    check_holds("future, set and a wait with a time limit", set_and_short_wait);
    check_holds("future, set and discard", set_and_discard);
    check_holds("future, set and look", set_and_look);
}

TEST_CASE("future: in time and late are both explored") {
    CHECK(explore({}, set_and_short_wait).outcomes == std::set<std::string>{"in time", "late value"});
    CHECK(explore({}, set_and_look).outcomes == std::set<std::string>{"not yet", "value"});
}

TEST_CASE("future: every order that matters is missed when it is weakened") {
    const auto acquire = std::memory_order_acquire, release = std::memory_order_release;
    check_catches("publishing", Fault::weaken("WakeCell::signal", OpKind::exchange, acquire), set_and_wait,
                  "data race");
    check_catches("taking", Fault::weaken("WakeCell::take_permit", OpKind::cas), set_and_wait, "data race");
    check_catches("last reference", Fault::weaken("FutureCell::drop", OpKind::sub, release), set_and_wait);
    check_catches("own reference", Fault::weaken("FutureCell::drop", OpKind::sub, acquire), set_and_discard);
    check_catches("forgotten reference", Fault::skip("FutureCell::drop", OpKind::sub), set_and_wait);
    check_catches("wake", Fault::skip("kernel", OpKind::futex_wake), set_and_wait, "nobody wakes reader");
    check_catches("sleeping on a permit", Fault::blind("WakeCell::wait_thread"), set_and_wait,
                  "nobody wakes reader");
}
