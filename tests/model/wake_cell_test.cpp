// SPDX-License-Identifier: ISC
// A fiber waits on wake cells that other threads signal: the cells and the way of a wake to the fiber's loop
// (remote.cpp) are the library's, the loop is a stand-in.
#include <catch2/catch.hpp>

#include "loop/wake_cell.hpp"
#include "loop_stand_in.hpp"
#include "models.hpp"

using namespace xtc::model;
using xtc::OnKill;
using xtc::WakeCell;
using xtc::Woke;

namespace {

struct Waiting {
    LoopStandIn loop;
    WakeCell a, b;
    int left_for_a = 0, left_for_b = 0;
};

Waiting& make_waiting(Scene& scene) {
    Waiting& w = scene.make<Waiting>();
    scene.name(w.a, {"a"});
    scene.name(w.b, {"b"});
    scene.name(w.loop.inbox, {"inbox"});
    scene.name(w.loop.posted, {"driver"});
    scene.name(w.loop.task.remote, {"task.remote"});
    return w;
}

void wait_for(Waiting& w, WakeCell& cell) {
    check(cell.wait(w.loop.task, XTC_UNTIL_NEVER, OnKill::ignore) == Woke::event, "an event ends the wait");
}

void signal_a(Waiting& w) {
    w.left_for_a = 1;
    w.a.signal();
}
void signal_b(Waiting& w) {
    w.left_for_b = 1;
    w.b.signal();
}

void two_waits(Scene& scene) {
    Waiting& w = make_waiting(scene);
    scene.thread("fiber", [&w] {
        wait_for(w, w.a);
        check(w.left_for_a == 1, "what was left before the signal");
        wait_for(w, w.b);
        check(w.left_for_b == 1, "what was left before the signal");
    });
    scene.thread("first", [&w] { signal_a(w); });
    scene.thread("second", [&w] { signal_b(w); });
}

// A wait that ended otherwise (its time was up) takes its token back, but a signal may have it already: that
// wake comes when the fiber sleeps for something else, an epoch late, and shares a word with the wake that
// counts, before or behind it.
void late_wake(Scene& scene) {
    Waiting& w = make_waiting(scene);
    scene.thread("fiber", [&w] {
        begin_sleep(w.loop.task);
        const xtc::WakeToken token = w.loop.task.token();
        if (w.b.arm(token)) w.b.disarm(token);
        wait_for(w, w.a);
        check(w.left_for_a == 1, "what was left before the signal");
    });
    scene.thread("first", [&w] { signal_a(w); });
    scene.thread("second", [&w] { signal_b(w); });
    scene.at_end([&w] { outcome(w.loop.stale_wakes != 0 ? "late" : "in time"); });
}

void either(Scene& scene) {
    Waiting& w = make_waiting(scene);
    scene.thread("fiber", [&w] {
        check(xtc::wait_either(w.loop.task, w.a, w.b, XTC_UNTIL_NEVER, OnKill::ignore) == Woke::event,
              "an event ends the wait");
        check(w.a.take_permit() ? w.left_for_a == 1 : w.left_for_b == 1, "what was left before the signal");
    });
    scene.thread("first", [&w] { signal_a(w); });
    scene.thread("second", [&w] { signal_b(w); });
}

// The cell may go as soon as the permit was taken.
void cell_goes(Scene& scene) {
    struct Short {
        LoopStandIn loop;
        WakeCell* cell = nullptr;
    };
    Short& s = scene.make<Short>();
    s.cell = new WakeCell;
    scene.thread("fiber", [&s] {
        s.cell->wait(s.loop.task, XTC_UNTIL_NEVER, OnKill::ignore);
        delete s.cell;
    });
    scene.thread("signaller", [cell = s.cell] { cell->signal(); });
}

} // namespace

TEST_CASE("wake cell: no signal is lost, and what was left before it is there") {
    check_holds("wake cell, two waits", two_waits);
    check_holds("wake cell, either of two", either);
    check_holds("wake cell, a cell that goes", cell_goes);
}

TEST_CASE("wake cell: a late wake does not take the place of the one that counts") {
    check_holds("wake cell, a late wake", late_wake);
    Plan plan;
    plan.most_executions = 20'000;
    CHECK(explore(plan, late_wake).outcomes == std::set<std::string>{"in time", "late"});
}

TEST_CASE("wake cell: every order that matters is missed when it is weakened") {
    check_catches("signal", Fault::weaken("WakeCell::signal", OpKind::exchange), two_waits, "data race");
    check_catches("permit", Fault::weaken("WakeCell::take_permit", OpKind::cas), two_waits, "data race");
    check_catches("arming over a permit", Fault::blind("WakeCell::arm"), two_waits, "nobody wakes fiber");
    check_catches("taking the asked", Fault::weaken("arrive", OpKind::exchange), late_wake, "data race");
    check_catches("asking", Fault::weaken("ask", OpKind::weak_cas), late_wake, "data race");
    check_catches("asking unsaid", Fault::skip("ask", OpKind::weak_cas), two_waits);
}
