// SPDX-License-Identifier: ISC
//
// What the reference model found in the engine (property_test.cpp), each cut down to a story.
#include "batch/story.hpp"

#include <xtc_future.h>
#include <xtc_proc.h>

using namespace story;

// close(CANCEL) is carried out at the next boundary; a resume in between saw a member nobody had cancelled.
TEST_CASE("batch: a resume after close(CANCEL) leaves a blocked member where it is, as after a cancel") {
    for (const bool by_close : {false, true}) {
        Story s;
        s.make_sync();
        const uint64_t h = s.put();
        s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
        s.settle();
        s.on_loop([&] {
            CHECK((by_close ? xtc_batch_close(s.group, XTC_BATCH_CANCEL) : xtc_batch_cancel(s.group, h)) ==
                  XTC_OK);
            CHECK(xtc_batch_resume(s.group, h) == XTC_OK);
            CHECK(s.stats().blocked == 1);
            CHECK(s.stats().ready == 0);
        });
        CHECK(s.vectors.size() == 1);
        CHECK(s.outcome_of(h) == XTC_E_ABORTED);
    }
}

namespace {

struct Gate { // a closure that the test lets go
    xtc_promise_t* open = nullptr;
    xtc_future_t* opened = nullptr;
    Gate() { REQUIRE(xtc_future_new_pair(&open, &opened) == XTC_OK); }
    static int wait(void* self) { return xtc_future_wait(static_cast<Gate*>(self)->opened, nullptr, -1); }
};

} // namespace

// "Such exit closes the group." The driver's stack stays while the closure runs, and only the exit hook
// behind it closed.
TEST_CASE("batch: a hint that ends the driver closes the group at once, while its closure still runs",
          "[threads]") {
    Story s;
    Limits limits;
    limits.mt = 4;
    s.make_async(limits);
    Gate gate;
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_BLOCKING;
        exec->run = Gate::wait;
        exec->arg = &gate;
        return 0;
    };
    s.on_hint = [](uint64_t) { xtc_exit_self(1); };
    const uint64_t h = s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, h) == XTC_OK); });
    REQUIRE(s.hints == Handles{h});
    uint64_t other = 0;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &other) == XTC_E_AGAIN);
    s.on_loop([&] { CHECK(s.try_submit(1, &other) == XTC_E_AGAIN); });
    CHECK(s.collects.empty());
    CHECK(xtc_promise_set(gate.open, 0, XTC_OK) == XTC_OK);
    CHECK(s.until([&] { return s.ended(h); }));
    CHECK(s.outcome_of(h) == XTC_E_ABORTED);
    REQUIRE(s.collects.size() == 1);
    CHECK(s.collects[0].second == XTC_BATCH_EXEC_ABORTED);
}

// "Other outstanding work fails with XTC_E_INTERNAL (or XTC_E_ABORTED if already cancelled)." Members of the
// vector were ended before the ring was looked at.
TEST_CASE("batch: a cancel_mt accepted before collect left the driver ends the member ABORTED") {
    Story s;
    Limits limits;
    limits.mt = 4;
    s.make_async(limits);
    const uint64_t cancelled = s.put();
    const uint64_t other = s.put();
    s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int) {
        CHECK(xtc_batch_cancel_mt(s.group, cancelled) == XTC_OK);
        return xtc_exit_self(1);
    };
    s.settle();
    CHECK(s.outcome_of(cancelled) == XTC_E_ABORTED);
    CHECK(s.outcome_of(other) == XTC_E_INTERNAL);
    CHECK(s.stats().cancelled == 1);
    CHECK(s.stats().failed == 1);
}
