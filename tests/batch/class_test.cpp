// SPDX-License-Identifier: ISC
// Groups and run classes: the driver runs in the class, one group a class, until destroy.
#include "story.hpp"

#include "support/test_clock.hpp"

using story::Limits;
using story::Story;
using xtc::test::TestClock;

namespace {

xtc_exec_class_t make_class(xtc_loop_t* loop, int shares) {
    xtc_exec_class_t c = nullptr;
    REQUIRE(xtc_exec_class_create(loop, shares, 0, &c) == XTC_OK);
    return c;
}

int create(Story& story, xtc_exec_class_t c, xtc_batch_t** out) {
    auto opts = story.opts(Limits{});
    opts.sched_class = c;
    return xtc_batch_create(story.loop, &opts, out);
}

int create_async(Story& story, xtc_exec_class_t c, xtc_batch_t** out) {
    auto opts = story.async_opts(Limits{});
    opts.sched_class = c;
    return xtc_batch_create_async(story.loop, &opts, out);
}

} // namespace

TEST_CASE("a group's driver runs in the class it was given") {
    const bool is_async = GENERATE(false, true);
    Story story;
    const xtc_exec_class_t c = make_class(story.loop, 100);
    REQUIRE((is_async ? create_async : create)(story, c, &story.group) == XTC_OK);
    const uint64_t handle = story.put();
    story.settle();
    CHECK(story.outcome_of(handle) == XTC_OK);
    CHECK(xtc_exec_class_runs(c) > 0);
}

TEST_CASE("a group without a class switches class scheduling on for nobody") {
    Story story;
    const xtc_exec_class_t c = make_class(story.loop, 100);
    REQUIRE(create(story, nullptr, &story.group) == XTC_OK);
    story.put();
    story.settle();
    CHECK(xtc_exec_class_runs(c) == 0);
    CHECK(xtc_exec_class_vruntime(c) == 0);
}

TEST_CASE("a class of another loop is refused, and nothing is published") {
    Story story, other;
    const xtc_exec_class_t foreign = make_class(other.loop, 100);
    xtc_batch_t* out = nullptr;
    CHECK(create(story, foreign, &out) == XTC_E_INVAL);
    CHECK(create_async(story, foreign, &out) == XTC_E_INVAL);
    CHECK(out == nullptr);
    REQUIRE(create(other, foreign, &other.group) == XTC_OK); // it was not reserved
}

TEST_CASE("a class carries one group, and is reserved until that group is destroyed") {
    Story story;
    const xtc_exec_class_t c = make_class(story.loop, 100);
    REQUIRE(create(story, c, &story.group) == XTC_OK);
    xtc_batch_t* second = nullptr;
    CHECK(create(story, c, &second) == XTC_E_INVAL);
    CHECK(create_async(story, c, &second) == XTC_E_INVAL);
    CHECK(second == nullptr);
    CHECK(xtc_batch_close(story.group, XTC_BATCH_DRAIN) == XTC_OK);
    story.settle();
    // The driver is gone, the group is not: a create after the first run would be AGAIN, were the class free.
    CHECK(create(story, c, &second) == XTC_E_INVAL);
    CHECK(xtc_batch_destroy(story.group) == XTC_OK);
    story.group = nullptr;
    CHECK(create(story, c, &second) == XTC_E_AGAIN);
}

TEST_CASE("a create that fails later gives the class back") {
    Story story;
    const xtc_exec_class_t c = make_class(story.loop, 100);
    xtc_res_set_cap(xtc_loop_res(story.loop), XTC_RES_TASKS, 1);
    xtc_batch_t* first = nullptr;
    REQUIRE(create(story, nullptr, &first) == XTC_OK); // takes the only process
    xtc_batch_t* out = nullptr;
    CHECK(create(story, c, &out) == XTC_E_RESOURCE);
    xtc_res_set_cap(xtc_loop_res(story.loop), XTC_RES_TASKS, 100);
    REQUIRE(create(story, c, &story.group) == XTC_OK);
    CHECK(xtc_batch_close(first, XTC_BATCH_DRAIN) == XTC_OK);
    story.settle();
    CHECK(xtc_batch_destroy(first) == XTC_OK);
}

TEST_CASE("other processes may share a group's class, and groups share a loop as their classes say") {
    TestClock clock;
    Story heavy;
    clock.lend_to(heavy.loop);
    const xtc_exec_class_t three = make_class(heavy.loop, 300);
    const xtc_exec_class_t one = make_class(heavy.loop, 100);
    int64_t in_group = 0, in_process = 0;
    REQUIRE(create(heavy, three, &heavy.group) == XTC_OK);
    heavy.on_step = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n) {
        clock.now += 4'000;
        in_group += 4'000;
        for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_CONTINUE;
        return 0;
    };
    struct Worker {
        TestClock& clock;
        int64_t& used;
    } worker{clock, in_process}, sharer{clock, in_group};
    const auto work = [](void* raw) {
        auto& self = *static_cast<Worker*>(raw);
        for (;;) {
            self.clock.now += 1'000;
            self.used += 1'000;
            xtc_yield();
        }
    };
    xtc_proc_opts_t opts = {};
    opts.sched_class = one;
    xtc_pid_t workers[2];
    REQUIRE(xtc_proc_spawn(heavy.loop, work, &worker, &opts, &workers[0]) == XTC_OK);
    opts.sched_class = three; // the group's
    REQUIRE(xtc_proc_spawn(heavy.loop, work, &sharer, &opts, &workers[1]) == XTC_OK);
    heavy.put();
    for (int i = 0; i < 200; ++i) xtc_seam_loop_turn(heavy.loop, 64);
    const double ratio = static_cast<double>(in_group) / static_cast<double>(in_process);
    CHECK(ratio > 2.9);
    CHECK(ratio < 3.1);
    for (xtc_pid_t pid : workers) CHECK(xtc_exit_pid(pid, 0) == XTC_OK);
}
