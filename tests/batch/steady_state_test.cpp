// SPDX-License-Identifier: ISC
//
// What a group in its stride does not do: allocate, lock, or look at members that are not ready.
#include <catch2/catch.hpp>

#include "batch/allocations.hpp"
#include "batch/locks.hpp"

#include <xtc_async.h>
#include <xtc_batch.h>
#include <xtc_loop.h>
#include <xtc_proc.h>

#include <mutex>

#include <sys/eventfd.h>
#include <unistd.h>

namespace {

struct Counter {
    xtc_batch_t* group = nullptr;
    uint64_t completed = 0;
    uint64_t members = 0;
    uint64_t allocations_before = 0;
    uint64_t allocations_after = 0;
    uint64_t locks_before = 0;
    uint64_t locks_after = 0;

    xtc_batch_async_opts_t opts() {
        xtc_batch_async_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = 100;
        o.max_active = 64;
        o.resource_capacity = 1000;
        o.submit = submit;
        o.collect = collect;
        o.complete = complete;
        o.user = this;
        o.mt_queue_cap = 16;
        return o;
    }
    int kind = XTC_BATCH_EXEC_SYNC;
    int fence = -1; // readable whenever somebody looks

    static int submit(const xtc_batch_item_t*, size_t, void* user, xtc_batch_exec_t* exec) {
        exec->kind = static_cast<Counter*>(user)->kind;
        exec->fence_fd = static_cast<Counter*>(user)->fence;
        return 0;
    }
    static int collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int,
                       void* user) {
        static_cast<Counter*>(user)->members += n;
        for (size_t i = 0; i < n; ++i)
            results[i].state = items[i].request != nullptr ? XTC_BATCH_BLOCKED : XTC_BATCH_DONE;
        return 0;
    }
    static void complete(uint64_t, void*, int outcome, void* user) {
        if (outcome == XTC_OK) ++static_cast<Counter*>(user)->completed;
    }
};

constexpr uint64_t kRequests = 20000;

// Hands in over both paths and waits for the ends, round by round.
void feed(void* raw) {
    auto* c = static_cast<Counter*>(raw);
    uint64_t handle = 0;
    for (int i = 0; i < 50; ++i) CHECK(xtc_batch_submit(c->group, c, 1, &handle) == XTC_OK); // these block
    while (c->members < 50) xtc_yield();
    for (uint64_t done = 0; done < kRequests; done += 2) {
        if (done == 100) { // the loop has what it makes on first use
            c->allocations_before = allocations::count();
            c->locks_before = locks::count();
        }
        xtc_batch_submit(c->group, nullptr, 1, &handle);
        xtc_batch_submit_mt(c->group, nullptr, 1, &handle);
        xtc_batch_cancel_mt(c->group, 1); // one of the blocked, the first time; then it has ended
        while (c->completed < done + 2) xtc_yield();
    }
    c->allocations_after = allocations::count();
    c->locks_after = locks::count();
    CHECK(xtc_batch_close(c->group, XTC_BATCH_CANCEL) == XTC_OK);
}

} // namespace

TEST_CASE("a group in its stride allocates nothing, takes no lock and touches only ready members") {
    xtc_loop_t* loop = nullptr;
    REQUIRE(xtc_loop_init(&loop) == XTC_OK);
    Counter counter;
    counter.kind = GENERATE(XTC_BATCH_EXEC_SYNC, XTC_BATCH_EXEC_FENCE);
    counter.fence = ::eventfd(1, EFD_CLOEXEC);
    const auto o = counter.opts();
    REQUIRE(xtc_batch_create_async(loop, &o, &counter.group) == XTC_OK);
    REQUIRE(xtc_proc_spawn(loop, feed, &counter, nullptr, nullptr) == XTC_OK);
    CHECK(xtc_loop_run(loop) == XTC_OK);
    CHECK(counter.completed == kRequests);
    CHECK(counter.members == kRequests + 50);
    CHECK(counter.allocations_after == counter.allocations_before);
    CHECK(counter.locks_after == counter.locks_before);
    std::mutex counted; // the counter does count
    { std::lock_guard hold(counted); }
    CHECK(locks::count() > counter.locks_after);
    CHECK(xtc_batch_destroy(counter.group) == XTC_OK);
    CHECK(xtc_loop_fini(loop) == XTC_OK);
    ::close(counter.fence);
}

TEST_CASE("cancels and resumes of what has ended or was never there cost nothing, however many") {
    xtc_loop_t* loop = nullptr;
    REQUIRE(xtc_loop_init(&loop) == XTC_OK);
    Counter counter;
    auto o = counter.opts();
    o.mt_queue_cap = 4;
    REQUIRE(xtc_batch_create_async(loop, &o, &counter.group) == XTC_OK);
    const auto race = [](void* raw) {
        auto* c = static_cast<Counter*>(raw);
        uint64_t handle = 0;
        CHECK(xtc_batch_submit_mt(c->group, nullptr, 1, &handle) == XTC_OK);
        while (c->completed < 1) xtc_yield();
        c->allocations_before = allocations::count();
        int wrong = 0;
        for (int i = 0; i < 100000; ++i) {
            wrong += xtc_batch_cancel_mt(c->group, handle) != XTC_OK;
            wrong += xtc_batch_resume_mt(c->group, handle) != XTC_OK;
            wrong += xtc_batch_cancel_mt(c->group, handle + 1) != XTC_E_INVAL;
            wrong += xtc_batch_resume_mt(c->group, UINT64_MAX) != XTC_E_INVAL;
            wrong += xtc_batch_cancel(c->group, handle) != XTC_E_INVAL;
            wrong += xtc_batch_resume(c->group, handle) != XTC_E_INVAL;
            if (i % 2 == 1) xtc_yield(); // four records were under way
        }
        c->allocations_after = allocations::count();
        CHECK(wrong == 0);
        for (int i = 0; i < 4; ++i) // the pool is whole
            CHECK(xtc_batch_cancel_mt(c->group, handle) == XTC_OK);
        CHECK(xtc_batch_cancel_mt(c->group, handle) == XTC_E_AGAIN);
        CHECK(xtc_batch_close(c->group, XTC_BATCH_DRAIN) == XTC_OK);
    };
    REQUIRE(xtc_proc_spawn(loop, race, &counter, nullptr, nullptr) == XTC_OK);
    CHECK(xtc_loop_run(loop) == XTC_OK);
    CHECK(counter.allocations_after == counter.allocations_before);
    CHECK(xtc_batch_destroy(counter.group) == XTC_OK);
    CHECK(xtc_loop_fini(loop) == XTC_OK);
}
