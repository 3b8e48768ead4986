// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

using story::Handles;
using story::Story;

TEST_CASE("drain takes no more and finishes what is there") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 1});
    s.put();
    s.put();
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    uint64_t handle = 0;
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
    s.settle();
    CHECK(s.ends == std::vector<std::pair<uint64_t, int>>{{1, XTC_OK}, {2, XTC_OK}});
    CHECK(xtc_batch_destroy(s.group) == XTC_OK);
    s.group = nullptr;
}

TEST_CASE("an empty group that was closed before the first run needs the run to end") {
    Story s;
    s.make_sync();
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
    CHECK(xtc_loop_run(s.loop) == XTC_OK);
    CHECK(xtc_batch_destroy(s.group) == XTC_OK);
    s.group = nullptr;
}

TEST_CASE("cancel ends everything that has not ended, in every state") {
    Story s;
    s.make_sync({.capacity = 4, .max_active = 2});
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    for (int i = 0; i < 4; ++i) s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK); });
    CHECK(s.vectors == std::vector<Handles>{{1, 2}});
    CHECK(s.ends.size() == 4);
    for (uint64_t h = 1; h <= 4; ++h) CHECK(s.outcome_of(h) == XTC_E_ABORTED);
    CHECK(s.stats().cancelled == 4);
    s.on_loop([&] {
        CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK); // after the driver has gone
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_E_INVAL);
        CHECK(xtc_batch_destroy(s.group) == XTC_OK);
    });
    s.group = nullptr;
}

TEST_CASE("drain waits for blocked members, and may become cancel but not the other way round") {
    Story s;
    s.make_sync();
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.put();
    s.settle();
    s.on_loop([&] {
        CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(0)) == XTC_E_INVAL);
        CHECK(xtc_batch_close(s.group, static_cast<xtc_batch_close_mode>(3)) == XTC_E_INVAL);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    });
    CHECK_FALSE(s.ended(1));
    s.on_loop([&] {
        CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_OK);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK); // changes nothing
    });
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
}

TEST_CASE("an owner's cancel and resume still count while draining") {
    Story s;
    s.make_sync();
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.put();
    s.put();
    s.settle();
    s.on_step = Story::everyone(XTC_BATCH_DONE);
    s.on_loop([&] {
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK);
        CHECK(xtc_batch_resume(s.group, 2) == XTC_OK);
    });
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(s.outcome_of(2) == XTC_OK);
}

TEST_CASE("drain_for returns when everything has ended and the driver has left") {
    Story s;
    s.make_sync();
    s.put();
    bool destroyed = false;
    s.on_loop([&] {
        CHECK(xtc_batch_drain_for(s.group, 1'000'000'000'000) == XTC_OK);
        CHECK(s.outcome_of(1) == XTC_OK);
        destroyed = xtc_batch_destroy(s.group) == XTC_OK;
    });
    REQUIRE(destroyed);
    s.group = nullptr;
}

TEST_CASE("drain_for cancels what is left when the time is up") {
    Story s;
    s.make_sync();
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.put();
    int returned = 0;
    for (int i = 0; i < 2; ++i)
        s.start([&] {
            CHECK(xtc_batch_drain_for(s.group, 2'000'000) == XTC_OK);
            ++returned;
        });
    CHECK(s.until([&] { return returned == 2; }));
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
}

TEST_CASE("drain_for with a negative time never cancels") {
    Story s;
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.make_sync();
    s.put();
    bool returned = false;
    s.on_loop([&] {
        CHECK(xtc_batch_drain_for(s.group, -1) == XTC_OK);
        returned = true;
    });
    CHECK_FALSE(returned);
    CHECK(xtc_loop_next_deadline(s.loop) == -1); // it waits without a timer
    s.on_step = Story::everyone(XTC_BATCH_DONE);
    s.on_loop([&] { CHECK(xtc_batch_resume(s.group, 1) == XTC_OK); });
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.until([&] { return returned; }));
}

TEST_CASE("a driver that is still in another exit hook has not left") {
    Story s;
    s.make_sync();
    struct Hold {
        static void in_hook(void*) { xtc_proc_sleep(5'000'000); }
    };
    s.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t) {
        CHECK(xtc_proc_at_exit(Hold::in_hook, nullptr) == XTC_OK);
        results[0].state = XTC_BATCH_DONE;
        return 0;
    };
    s.put();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK); });
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
}
