// SPDX-License-Identifier: ISC
//
// Cancel and resume, from the owner and from threads, of a request in every state it may be in (O17).
#include "batch/device.hpp"

#include <algorithm>
#include <set>

using story::Device;
using story::Handles;
using story::Story;

namespace {

enum class State { never_issued, on_ring, held, waiting, ready, blocked, in_flight, finished };
enum class Call { cancel, cancel_mt, resume, resume_mt };

constexpr State kStates[] = {State::never_issued, State::on_ring, State::held,      State::waiting,
                             State::ready,        State::blocked, State::in_flight, State::finished};

// A group of two active members over a device, with one request brought into a state. The others around it
// must not notice what happens to it.
class Scene {
public:
    explicit Scene(State state) : state_(state) {
        device.run_in(s);
        s.on_collect = [this](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
            for (size_t i = 0; i < n; ++i)
                results[i].state = blocks_.contains(items[i].handle) ? XTC_BATCH_BLOCKED : XTC_BATCH_DONE;
            return 0;
        };
        s.make_async({.capacity = 3, .max_active = 2, .mt = 4});
        set_up();
    }
    int act(Call call) {
        switch (call) {
        case Call::cancel:
            return xtc_batch_cancel(s.group, it);
        case Call::cancel_mt:
            return xtc_batch_cancel_mt(s.group, it);
        case Call::resume:
            return xtc_batch_resume(s.group, it);
        default:
            return xtc_batch_resume_mt(s.group, it);
        }
    }
    // On the owner loop, or before its first run, as the state needs.
    int act_on_owner(Call call) {
        if (state_ == State::on_ring || state_ == State::never_issued) return act(call);
        int rc = 1;
        s.on_loop([&] { rc = act(call); });
        return rc;
    }
    // Lets everything come to its end.
    void play_out() {
        blocks_.clear();
        for (int i = 0; i < 10; ++i) {
            s.settle();
            if (device.promise != nullptr) device.finish();
            s.settle();
            for (uint64_t h = 1; h <= 9; ++h) s.on_loop([&] { xtc_batch_resume(s.group, h); });
        }
    }
    bool was_launched() const {
        for (const Handles& v : s.vectors)
            if (std::find(v.begin(), v.end(), it) != v.end()) return true;
        return false;
    }

    Story s;
    Device device{XTC_BATCH_EXEC_FUTURE};
    uint64_t it = 0;
    Handles others;

private:
    State state_;
    std::set<uint64_t> blocks_;

    void set_up() {
        switch (state_) {
        case State::never_issued:
            it = 7;
            return;
        case State::on_ring:
            it = s.put_mt();
            return;
        case State::held:
            for (int i = 0; i < 3; ++i) others.push_back(s.put()); // every slot
            s.settle();
            it = s.put_mt();
            s.settle();
            CHECK(s.stats().queued == 2);
            return;
        case State::waiting:
            for (int i = 0; i < 2; ++i) others.push_back(s.put());
            it = s.put();
            s.settle();
            CHECK(s.stats().queued == 1);
            return;
        case State::blocked:
            it = s.put();
            blocks_ = {it};
            s.settle();
            device.finish();
            s.settle();
            CHECK(s.stats().blocked == 1);
            return;
        case State::ready: // beside an operation that was launched before it was resumed
            it = s.put();
            blocks_ = {it};
            s.settle();
            device.finish();
            s.settle();
            s.on_loop([&] { others.push_back(s.put()); });
            s.on_loop([&] { CHECK(xtc_batch_resume(s.group, it) == XTC_OK); });
            CHECK(s.vectors == std::vector<Handles>{{it}, {others[0]}});
            CHECK(s.stats().ready == 2);
            return;
        case State::in_flight:
            others.push_back(s.put());
            it = s.put();
            s.settle();
            CHECK(device.launched == 1);
            return;
        case State::finished:
            it = s.put();
            s.settle();
            device.finish();
            s.settle();
            CHECK(s.ended(it));
            return;
        }
    }
};

} // namespace

TEST_CASE("a cancel finds its request in every state and ends it once, and nobody else") {
    const State state = GENERATE(from_range(std::begin(kStates), std::end(kStates)));
    const Call call = GENERATE(Call::cancel, Call::cancel_mt);
    CAPTURE(static_cast<int>(state), static_cast<int>(call));
    Scene scene(state);
    const bool is_gone = state == State::finished;
    const bool is_there = !is_gone && state != State::never_issued;
    const bool was_launched = scene.was_launched();
    const int answer = scene.act_on_owner(call);
    if (is_there)
        CHECK(answer == XTC_OK);
    else // a finished one is no error to a thread that could not know
        CHECK(answer == (is_gone && call == Call::cancel_mt ? XTC_OK : XTC_E_INVAL));
    if (is_there && scene.act_on_owner(call) == XTC_E_INVAL)
        CHECK(scene.s.ended(scene.it)); // a second is harmless
    scene.s.settle();
    if (is_there && state != State::in_flight)
        CHECK(scene.s.outcome_of(scene.it) == XTC_E_ABORTED); // without waiting for the operation of others
    CHECK(scene.s.hints == (state == State::in_flight ? Handles{scene.it} : Handles{}));
    scene.play_out();
    if (is_there) CHECK(scene.s.outcome_of(scene.it) == XTC_E_ABORTED);
    if (is_gone) CHECK(scene.s.outcome_of(scene.it) == XTC_OK);
    CHECK(scene.was_launched() == was_launched); // never again
    for (const uint64_t other : scene.others) CHECK(scene.s.outcome_of(other) == XTC_OK);
    uint64_t next = 0;
    scene.s.on_loop([&] { next = scene.s.put(); });
    scene.play_out();
    CHECK(scene.s.outcome_of(next) == XTC_OK);
}

TEST_CASE(
    "a resume works on what is active, is harmless on what is ready, and refused or dropped otherwise") {
    const State state = GENERATE(from_range(std::begin(kStates), std::end(kStates)));
    const Call call = GENERATE(Call::resume, Call::resume_mt);
    CAPTURE(static_cast<int>(state), static_cast<int>(call));
    Scene scene(state);
    const bool is_active = state == State::ready || state == State::blocked || state == State::in_flight;
    const int expected = call == Call::resume_mt ? state == State::never_issued ? XTC_E_INVAL : XTC_OK
                         : is_active             ? XTC_OK
                                                 : XTC_E_INVAL;
    for (int twice = 0; twice < 2; ++twice) {
        CHECK(scene.act_on_owner(call) == expected);
        scene.s.settle();
        if (state == State::blocked) break; // it is in flight now
    }
    if (state == State::blocked) CHECK(scene.s.vectors.size() == 2);
    const auto stats = scene.s.stats();
    CHECK(stats.blocked == 0);
    if (is_active) CHECK(stats.reserved_units == scene.others.size() + 1); // neither released nor taken again
    scene.play_out();
    if (state != State::never_issued) CHECK(scene.s.outcome_of(scene.it) == XTC_OK);
    for (const uint64_t other : scene.others) CHECK(scene.s.outcome_of(other) == XTC_OK);
}

TEST_CASE("a resume of one that waits is not remembered for when it blocks") {
    const bool by_thread = GENERATE(false, true);
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = 2, .max_active = 1, .mt = 2});
    s.put();
    const uint64_t waits = s.put();
    s.settle();
    s.on_loop([&] {
        if (by_thread)
            CHECK(xtc_batch_resume_mt(s.group, waits) == XTC_OK);
        else
            CHECK(xtc_batch_resume(s.group, waits) == XTC_E_INVAL);
    });
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK); });
    CHECK(s.vectors == std::vector<Handles>{{1}, {waits}});
    CHECK(s.stats().blocked == 1); // and stays so
}

TEST_CASE("done that was recorded before a cancel stands, even when the driver dies in between") {
    Story s;
    s.make_async({.mt = 4});
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (handle != 1) return;
        // 2 is done and not yet told; the cancel and the death come now.
        CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_OK);
        CHECK(xtc_batch_resume_mt(s.group, 2) == XTC_OK);
        xtc_exit_self(5);
    };
    s.put();
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_OK);
    CHECK(s.stats().completed == 2);
    CHECK(s.stats().cancelled == 0);
}

TEST_CASE("a cancel of one that waits touches neither the one that runs nor another group") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.make_async({.capacity = 1, .max_active = 1, .mt = 2});
    struct Other {
        int outcome = 1;
        static int step(const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, void*) {
            for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_BLOCKED;
            return 0;
        }
        static void complete(uint64_t, void*, int outcome, void* self) {
            static_cast<Other*>(self)->outcome = outcome;
        }
    } other;
    auto o = s.opts({});
    o.step = Other::step;
    o.complete = Other::complete;
    o.user = &other;
    xtc_batch_t* second = nullptr;
    REQUIRE(xtc_batch_create(s.loop, &o, &second) == XTC_OK);
    uint64_t same_number = 0;
    s.put();
    const uint64_t held = s.put_mt();
    for (int i = 0; i < 2; ++i) CHECK(xtc_batch_submit(second, nullptr, 1, &same_number) == XTC_OK);
    CHECK(same_number == held); // handles mean something with their group only
    s.settle();
    CHECK(xtc_batch_cancel_mt(s.group, held) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(held) == XTC_E_ABORTED);
    CHECK(s.hints.empty());
    CHECK_FALSE(s.ended(1));
    CHECK(other.outcome == 1);
    device.finish();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.vectors == std::vector<Handles>{{1}});
    s.on_loop([&] { CHECK(xtc_batch_close(second, XTC_BATCH_CANCEL) == XTC_OK); });
    CHECK(xtc_batch_destroy(second) == XTC_OK);
    CHECK(other.outcome == XTC_E_ABORTED);
}
