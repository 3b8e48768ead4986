// SPDX-License-Identifier: ISC
// How other threads reach a batch group: pool of records, ring, handles, and the wake cell at which its
// driver waits; put together as the _mt calls and the driver do. The driver is a thread here, not a fiber.
#include <catch2/catch.hpp>

#include "batch/handin.hpp"
#include "batch/handles.hpp"
#include "loop/wake_cell.hpp"
#include "models.hpp"
#include "xtc.h"

using namespace xtc::model;
using xtc::ControlRecord;
using xtc::HandinRing;
using xtc::SubmitRecord;

namespace {

constexpr auto acquire = std::memory_order_acquire, release = std::memory_order_release;

// --- the pool alone

using Pool = xtc::RecordPool<SubmitRecord>;

Pool& make_pool(Scene& scene, size_t records) {
    Pool& pool = scene.make<Pool>();
    check(pool.init(records), "memory");
    scene.name(pool, {"head"});
    return pool;
}

// What a holder writes would race with another holder's.
bool use_one(Pool& pool) {
    SubmitRecord* r = pool.claim();
    if (r == nullptr) return false;
    ++r->charge;
    pool.give(*r);
    return true;
}

void three_users(Scene& scene) {
    Pool& pool = make_pool(scene, 2);
    for (const char* name : {"one", "two", "three"}) scene.thread(name, [&pool] { use_one(pool); });
}

// One holds two and gives the first back while the other is between its look and its exchange.
void list_looks_the_same(Scene& scene) {
    Pool& pool = make_pool(scene, 3);
    scene.thread("slow", [&pool] {
        SubmitRecord* a = pool.claim();
        SubmitRecord* b = pool.claim();
        for (SubmitRecord* r : {a, b})
            if (r != nullptr) ++r->charge;
    });
    scene.thread("quick", [&pool] {
        SubmitRecord* a = pool.claim();
        SubmitRecord* b = pool.claim();
        if (a == nullptr || b == nullptr) return;
        ++b->charge;
        pool.give(*a);
        ++b->charge;
    });
}

// The owner keeps what it gives back and returns a list at once, while others claim.
void many_at_once(Scene& scene) {
    Pool& pool = make_pool(scene, 48); // so many, that the owner may keep some
    std::vector<SubmitRecord*> held;
    for (int i = 0; i < 48; ++i) held.push_back(pool.claim());
    scene.thread("owner", [&pool, held] {
        for (int i = 0; i < 2; ++i) {
            ++held[i]->charge;
            pool.give_later(*held[i]);
        }
        pool.flush();
    });
    for (const char* name : {"one", "two"}) scene.thread(name, [&pool] { use_one(pool); });
}

// --- all of it

struct Group {
    xtc::Handin handin;
    xtc::Handles handles;
    xtc::WakeCell boundary;
    // the driver's
    uint64_t taken = 0;
    uint64_t submits = 0;
    uint64_t cancelled[8] = {};
    bool seen[8] = {};
    Tally accepted, cancels_accepted, cancels_taken;
};

Group& make_group(Scene& scene, size_t queue_cap) {
    Group& g = scene.make<Group>();
    check(g.handin.init(queue_cap) == XTC_OK, "memory");
    scene.name(g.handin.ring, {"ring.tail"});
    scene.name(g.handin.submits, {"submits.head"});
    scene.name(g.handin.controls, {"controls.head"});
    scene.name(g.handles, {"handles.last"});
    scene.name(g.boundary, {"boundary"});
    return g;
}

// As submit_mt() in batch_api.cpp; 0 if it answers XTC_E_AGAIN. With a handle given it takes none.
uint64_t submit(Group& g, uint64_t handle = 0) {
    if (g.handin.ring.is_closed()) return 0;
    SubmitRecord* record = g.handin.submits.claim();
    if (record == nullptr) return 0;
    if (handle == 0) handle = g.handles.take();
    record->handle = handle;
    const uint64_t place = g.handin.ring.reserve_for_submit();
    if (place == HandinRing::kNone) {
        g.handin.submits.give(*record);
        return 0;
    }
    record->charge = place;
    g.handin.ring.publish(place, *record);
    g.accepted.add();
    g.boundary.signal();
    return handle;
}

// As control_mt().
bool cancel(Group& g, uint64_t handle) {
    if (g.handin.ring.is_finished()) return false;
    ControlRecord* record = g.handin.controls.claim();
    if (record == nullptr) return false;
    record->handle = handle;
    const uint64_t place = g.handin.ring.reserve_for_control();
    if (place == HandinRing::kNone) {
        g.handin.controls.give(*record);
        return false;
    }
    g.handin.ring.publish(place, *record);
    g.cancels_accepted.add();
    g.boundary.signal();
    return true;
}

// As take_in() in boundary.cpp.
void take_in(Group& g) {
    HandinRing& ring = g.handin.ring;
    for (const uint64_t end = ring.end(); ring.has_before(end);) {
        HandinRing::Entry entry;
        if (!ring.take(&entry)) return;
        if (entry.submit != nullptr) {
            check(entry.submit->charge == g.taken, "entries are out of the order of their places");
            check(!g.seen[entry.submit->handle], "a handle is there twice");
            g.seen[entry.submit->handle] = true;
            ++g.submits;
            g.handin.submits.give(*entry.submit);
        } else {
            const uint64_t handle = entry.control->handle;
            g.handin.controls.give(*entry.control);
            check(g.seen[handle], "a cancel came before its submit");
            g.cancels_taken.add();
        }
        ++g.taken;
    }
}

void rest(Group& g) {
    if (!g.boundary.take_permit()) g.boundary.wait_thread(INT64_MAX);
}

void drive_until(Group& g, uint64_t entries) {
    for (;;) {
        take_in(g);
        if (g.taken == entries) return;
        rest(g);
    }
}

// Closed from its side at some time.
void drive_and_close(Group& g) {
    take_in(g);
    g.handin.ring.close();
    for (;;) {
        take_in(g);
        if (g.handin.ring.try_finish()) return;
        rest(g);
    }
}

void expect_all_taken(Group& g) {
    check(static_cast<int64_t>(g.submits) == g.accepted.value(), "an accepted submit was not taken");
    check(g.cancels_taken.value() == g.cancels_accepted.value(), "an accepted cancel was not taken");
}

void two_submitters(Scene& scene) {
    Group& g = make_group(scene, 2);
    scene.thread("driver", [&g] { drive_until(g, 2); });
    for (const char* name : {"submitter 1", "submitter 2"})
        scene.thread(name, [&g] { check(submit(g) != 0, "there is room for two"); });
}

void close_and_submit(Scene& scene) {
    Group& g = make_group(scene, 1);
    scene.thread("driver", [&g] { drive_and_close(g); });
    scene.thread("submitter", [&g] { submit(g); });
    scene.at_end([&g] {
        expect_all_taken(g);
        outcome(g.submits != 0 ? "taken" : "refused");
    });
}

void close_and_submit_and_cancel(Scene& scene) {
    Group& g = make_group(scene, 1);
    scene.thread("driver", [&g] { drive_and_close(g); });
    scene.thread("submitter", [&g] {
        const uint64_t handle = submit(g);
        if (handle != 0) cancel(g, handle);
    });
    scene.at_end([&g] { expect_all_taken(g); });
}

// A thread that was told of the handle cancels; its cancel is behind the submit.
void cancel_from_elsewhere(Scene& scene) {
    struct Told {
        xtc::atomic<uint64_t> handle{0};
    };
    Group& g = make_group(scene, 1);
    Told& told = scene.make<Told>();
    scene.name(told, {"told"});
    scene.thread("driver", [&g] { drive_and_close(g); });
    scene.thread("submitter", [&g, &told] { told.handle.store(submit(g), release); });
    scene.thread("canceller", [&g, &told] {
        if (const uint64_t handle = told.handle.load(acquire); handle != 0) cancel(g, handle);
    });
    scene.at_end([&g] { expect_all_taken(g); });
}

// The ring has two cells, and three entries go through it: the third goes where the first was.
void ring_goes_round(Scene& scene) {
    Group& g = make_group(scene, 1);
    g.seen[0] = true; // no handle: it is cancelled as if it were one
    scene.thread("driver", [&g] { drive_and_close(g); });
    scene.thread("submitter", [&g] {
        submit(g, 1);
        cancel(g, 0);
    });
    scene.thread("other", [&g] { submit(g, 2); });
    scene.at_end([&g] { expect_all_taken(g); });
}

void last_handles(Scene& scene) {
    struct Taken {
        xtc::Handles handles;
        uint64_t got[3] = {};
    };
    Taken& t = scene.make<Taken>();
    t.handles.start_after(UINT64_MAX - 2);
    scene.name(t.handles, {"last"});
    int i = 0;
    for (const char* name : {"one", "two", "three"})
        scene.thread(name, [&t, k = i++] {
            t.got[k] = t.handles.take();
            check(t.got[k] == 0 || t.handles.was_issued(t.got[k]),
                  "a handle was issued to the one who has it");
        });
    scene.at_end([&t] {
        int none = 0;
        for (int a = 0; a < 3; ++a) {
            none += t.got[a] == 0 ? 1 : 0;
            for (int b = 0; b < a; ++b) check(t.got[a] != t.got[b], "a handle was issued twice");
        }
        check(none == 1 && t.handles.used_up() && t.handles.take() == 0, "after the last there is none");
    });
}

} // namespace

TEST_CASE("record pool: no record has two holders") {
    check_holds("pool, three users of two records", three_users);
    check_holds("pool, a list that looks the same", list_looks_the_same);
    check_holds("pool, two given back at once", many_at_once);
}

TEST_CASE("record pool: what keeps a record to one holder is missed") {
    check_catches("pool without its tag", Fault::half_blind("RecordPool"), list_looks_the_same, "");
    check_catches("giving", Fault::weaken("::push", OpKind::weak_cas), three_users, "data race");
    check_catches("giving many", Fault::weaken("::push", OpKind::weak_cas), many_at_once, "data race");
    check_catches("claiming", Fault::weaken("::claim", OpKind::weak_cas), three_users, "data race");
    check_catches("claiming without comparing", Fault::blind("::claim"), three_users, "data race");
}

TEST_CASE("handles: each is given once, and after the last there is none") {
    check_holds("handles, three takers of the last two", last_handles);
    check_catches("handles without comparing", Fault::blind("Handles::take"), last_handles, "");
}

TEST_CASE("hand-ins: taken in the order of their places, all that was accepted, nothing lost in closing") {
    check_holds("hand-ins, two submitters", two_submitters);
    check_holds("hand-ins, closing and a submit", close_and_submit);
    check_holds("hand-ins, closing, a submit and its cancel", close_and_submit_and_cancel);
    check_holds("hand-ins, closing, a submit and a cancel from elsewhere", cancel_from_elsewhere);
    CHECK(explore({}, close_and_submit).outcomes == std::set<std::string>{"refused", "taken"});
}

TEST_CASE("hand-ins: the ring goes round") {
    check_holds("hand-ins, three entries in two cells", ring_goes_round);
}

TEST_CASE("hand-ins: every order that matters is missed when it is weakened") {
    check_catches("publishing", Fault::weaken("HandinRing::store", OpKind::store), two_submitters,
                  "data race");
    check_catches("taking", Fault::weaken("HandinRing::take", OpKind::load), two_submitters, "data race");
    check_catches("emptying", Fault::skip("HandinRing::take", OpKind::store), ring_goes_round);
    check_catches("coming round", Fault::weaken("HandinRing::reserve", OpKind::weak_cas), ring_goes_round);
    check_catches("closing", Fault::skip("HandinRing::close", OpKind::bit_or), close_and_submit);
    check_catches("finishing", Fault::blind("HandinRing::try_finish"), close_and_submit, "not taken");
    check_catches("signal", Fault::skip("WakeCell::signal", OpKind::exchange), two_submitters,
                  "nobody wakes");
}
