// SPDX-License-Identifier: ISC
//
// From create to destroy on loops that are stopped, run again and shared.
#include "batch/device.hpp"
#include "batch/handin.hpp"
#include "support/loops.hpp"

#include <thread>

using story::Device;
using story::Handles;
using story::Story;

namespace {

struct Blocker {
    int ended = 0;
    static int step(const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, void*) {
        for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_BLOCKED;
        return 0;
    }
    static void complete(uint64_t, void*, int, void* self) { ++static_cast<Blocker*>(self)->ended; }
    xtc_batch_opts_t opts() {
        xtc_batch_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = o.max_active = 4;
        o.resource_capacity = 4;
        o.step = step;
        o.complete = complete;
        o.user = this;
        return o;
    }
};

} // namespace

TEST_CASE("to stop a loop is not to drain: close from an owner process, run again, then destroy") {
    xtc::test::TestLoop loop;
    Blocker blocker;
    const auto o = blocker.opts();
    xtc_batch_t* group = nullptr;
    REQUIRE(xtc_batch_create(loop, &o, &group) == XTC_OK);
    uint64_t handle = 0;
    CHECK(xtc_batch_submit(group, nullptr, 1, &handle) == XTC_OK);
    xtc_loop_t* raw = loop;
    loop.proc([raw] {
        for (int i = 0; i < 3; ++i) xtc_yield();
        xtc_loop_stop(raw);
    });
    loop.run();
    CHECK(blocker.ended == 0);
    // At rest but started: changes belong to its processes now.
    CHECK(xtc_batch_close(group, XTC_BATCH_CANCEL) == XTC_E_INVAL);
    CHECK(xtc_batch_destroy(group) == XTC_E_AGAIN);
    loop.proc([&] {
        CHECK(xtc_batch_close(group, XTC_BATCH_CANCEL) == XTC_OK);
        CHECK(xtc_batch_destroy(group) == XTC_E_AGAIN); // the driver is still there
    });
    loop.run();
    CHECK(blocker.ended == 1);
    CHECK(xtc_batch_destroy(group) == XTC_OK);
}

TEST_CASE("after an executor has returned, statistics and destroy work from the thread that ran it",
          "[threads]") {
    xtc::test::TestExec exec(2);
    Blocker blocker;
    const auto o = blocker.opts();
    xtc_batch_t* group = nullptr;
    REQUIRE(xtc_batch_create(exec.loop(1), &o, &group) == XTC_OK);
    uint64_t handle = 0;
    CHECK(xtc_batch_submit(group, nullptr, 1, &handle) == XTC_OK);
    bool foreign = false, plain = false;
    exec.proc(0, [&] { // the owner may be running: not even to look
        xtc_batch_stats_t stats = {sizeof(stats), XTC_BATCH_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        foreign = xtc_batch_get_stats(group, &stats) == XTC_E_INVAL &&
                  xtc_batch_destroy(group) == XTC_E_INVAL &&
                  xtc_batch_close(group, XTC_BATCH_CANCEL) == XTC_E_INVAL;
        std::thread([&] { // no loop at all, and yet nothing is at rest
            plain =
                xtc_batch_get_stats(group, &stats) == XTC_E_INVAL && xtc_batch_destroy(group) == XTC_E_INVAL;
        })
            .join();
    });
    bool closed = false;
    exec.proc(1, [&] { closed = xtc_batch_close(group, XTC_BATCH_CANCEL) == XTC_OK; });
    exec.run();
    CHECK(foreign);
    CHECK(plain);
    CHECK(closed);
    xtc_batch_stats_t stats = {sizeof(stats), XTC_BATCH_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    CHECK(xtc_batch_get_stats(group, &stats) == XTC_OK);
    CHECK(stats.cancelled == 1);
    CHECK(xtc_batch_destroy(group) == XTC_OK);
}

TEST_CASE("each loop of an executor has its own groups, and a pre-run close needs the run", "[threads]") {
    xtc::test::TestExec exec(3);
    Blocker blockers[3];
    xtc_batch_t* groups[3];
    for (int i = 0; i < 3; ++i) {
        const auto o = blockers[i].opts();
        REQUIRE(xtc_batch_create(exec.loop(i), &o, &groups[i]) == XTC_OK);
        uint64_t handle = 0;
        CHECK(xtc_batch_submit(groups[i], nullptr, 1, &handle) == XTC_OK);
        CHECK(xtc_batch_close(groups[i], XTC_BATCH_CANCEL) == XTC_OK);
        CHECK(xtc_batch_destroy(groups[i]) == XTC_E_AGAIN);
    }
    exec.run();
    for (int i = 0; i < 3; ++i) {
        CHECK(blockers[i].ended == 1);
        CHECK(xtc_batch_destroy(groups[i]) == XTC_OK);
    }
}

TEST_CASE("the descriptor is copied, and what it points to is used as it was given") {
    Story s;
    auto o = s.opts({.capacity = 2, .max_active = 1, .units = 3});
    REQUIRE(xtc_batch_create(s.loop, &o, &s.group) == XTC_OK);
    o = {};
    uint64_t handle = 0;
    CHECK(s.try_submit(4, &handle) == XTC_E_RANGE);
    s.put(3);
    s.put(3);
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1}, {2}});
    CHECK(s.ends.size() == 2);
}

TEST_CASE("destroy waits for requests that are borrowed and for the driver, in that order of events") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.make_async();
    s.put();
    s.settle();
    int answers[2] = {1, 1};
    s.on_loop([&] {
        answers[0] = xtc_batch_destroy(s.group); // not closed
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
        answers[1] = xtc_batch_destroy(s.group); // a request is out
    });
    CHECK(answers[0] == XTC_E_AGAIN);
    CHECK(answers[1] == XTC_E_AGAIN);
    bool gone_at_complete = true;
    s.on_complete = [&](uint64_t, void*, int) {
        gone_at_complete = xtc_batch_destroy(s.group) != XTC_E_DEADLK;
    };
    device.finish();
    s.settle();
    CHECK_FALSE(gone_at_complete);
    CHECK(s.outcome_of(1) == XTC_OK);
}

TEST_CASE("a group with mt calls keeps taking controls while it drains, and none once it has finished") {
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = 4, .max_active = 4, .mt = 4});
    for (int i = 0; i < 2; ++i) s.put();
    s.settle();
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK); });
    s.on_collect = Story::collect_all(XTC_BATCH_DONE);
    CHECK(xtc_batch_resume_mt(s.group, 1) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_OK); // ended, discarded; the driver still runs
    CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_E_INVAL);
    CHECK(xtc_batch_resume_mt(s.group, 2) == XTC_E_INVAL);
    CHECK(s.async_stats().mt_rejections == 0);
}

TEST_CASE("an idle, blocked or empty group leaves its loop asleep without a deadline") {
    Story s;
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    s.make_sync();
    s.settle();
    CHECK(xtc_loop_next_deadline(s.loop) == -1);
    s.on_loop([&] { s.put(); });
    CHECK(s.stats().blocked == 1);
    for (int i = 0; i < 10; ++i) CHECK(xtc_loop_step(s.loop, 0) == XTC_E_AGAIN);
    CHECK(xtc_loop_next_deadline(s.loop) == -1);
    CHECK(s.stats().iterations == 1);
}

TEST_CASE("ring and records stay charged until destroy, also when the driver has long gone") {
    Story s;
    xtc_res_t* res = xtc_loop_res(s.loop);
    s.make_async({.capacity = 4, .max_active = 4, .mt = 16});
    const int64_t charged = xtc_res_used(res, XTC_RES_MEM_BYTES);
    size_t bytes = 0;
    CHECK(xtc::Handin::size_of(16, &bytes) == XTC_OK);
    CHECK(charged == static_cast<int64_t>(bytes)); // exactly what they take
    s.put_mt();
    CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(xtc_res_used(res, XTC_RES_MEM_BYTES) == charged);
    uint64_t handle = 77;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN); // still there to answer
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_E_INVAL);
    CHECK(xtc_batch_destroy(s.group) == XTC_OK);
    s.group = nullptr;
    CHECK(xtc_res_used(res, XTC_RES_MEM_BYTES) == 0);
}
