// SPDX-License-Identifier: ISC
//
// What a group in its stride does not do: allocate, or look at members that are not ready.
#include <catch2/catch.hpp>

#include <xtc_async.h>
#include <xtc_batch.h>
#include <xtc_loop.h>
#include <xtc_proc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> allocations{0};

void* counted(size_t size) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size != 0 ? size : 1);
}

} // namespace

void* operator new(size_t size) {
    if (void* p = counted(size)) return p;
    throw std::bad_alloc();
}
void* operator new[](size_t size) {
    return operator new(size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return counted(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
    return counted(size);
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete[](void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, size_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, size_t) noexcept {
    std::free(p);
}

namespace {

struct Counter {
    xtc_batch_t* group = nullptr;
    uint64_t completed = 0;
    uint64_t members = 0;
    uint64_t allocations_before = 0;
    uint64_t allocations_after = 0;

    static int submit(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_SYNC;
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
    xtc_yield();
    xtc_yield();
    c->allocations_before = allocations.load();
    for (uint64_t done = 0; done < kRequests; done += 2) {
        xtc_batch_submit(c->group, nullptr, 1, &handle);
        xtc_batch_submit_mt(c->group, nullptr, 1, &handle);
        xtc_batch_cancel_mt(c->group,
                            1); // it has ended, or it is one of the blocked: the first time it counts
        while (c->completed < done + 2) xtc_yield();
    }
    c->allocations_after = allocations.load();
    CHECK(xtc_batch_close(c->group, XTC_BATCH_CANCEL) == XTC_OK);
}

} // namespace

TEST_CASE("a group in its stride allocates nothing and touches only ready members") {
    xtc_loop_t* loop = nullptr;
    REQUIRE(xtc_loop_init(&loop) == XTC_OK);
    Counter counter;
    xtc_batch_async_opts_t o = {};
    o.size = sizeof(o);
    o.version = XTC_BATCH_VERSION;
    o.capacity = 100;
    o.max_active = 64;
    o.resource_capacity = 1000;
    o.submit = Counter::submit;
    o.collect = Counter::collect;
    o.complete = Counter::complete;
    o.user = &counter;
    o.mt_queue_cap = 16;
    REQUIRE(xtc_batch_create_async(loop, &o, &counter.group) == XTC_OK);
    REQUIRE(xtc_proc_spawn(loop, feed, &counter, nullptr, nullptr) == XTC_OK);
    CHECK(xtc_loop_run(loop) == XTC_OK);
    CHECK(counter.completed == kRequests);
    CHECK(counter.members == kRequests + 50);
    CHECK(counter.allocations_after == counter.allocations_before);
    CHECK(xtc_batch_destroy(counter.group) == XTC_OK);
    CHECK(xtc_loop_fini(loop) == XTC_OK);
}
