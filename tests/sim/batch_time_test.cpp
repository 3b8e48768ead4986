// SPDX-License-Identifier: ISC
//
// Batch groups under the virtual clock, where a deadline is a number and not a hope.
#include "xtc_sim.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_batch.h"
#include "xtc_future.h"

using namespace xtc::test;

namespace {

// A group on one loop of a simulated executor.
struct World {
    xtc_exec_t* exec = nullptr;
    xtc_batch_t* group = nullptr;
    Bodies bodies;
    int owner;

    xtc_promise_t* promise = nullptr;
    int fence = -1;
    int kind = XTC_BATCH_EXEC_FUTURE;
    xtc_pid_t driver = XTC_PID_NONE;
    int64_t launched_at = 0;
    std::vector<int64_t> waits; // from submit to collect
    std::vector<std::vector<uint64_t>> vectors;
    std::vector<int> statuses;
    std::vector<std::pair<uint64_t, int>> ends;
    int collected_state = XTC_BATCH_DONE;

    explicit World(int loops = 2, int owner_loop = 0) : owner(owner_loop) {
        REQUIRE(xtc_exec_init(&exec, loops) == XTC_OK);
    }
    ~World() {
        xtc_promise_drop(promise);
        if (group != nullptr) CHECK(xtc_batch_destroy(group) == XTC_OK);
        CHECK(xtc_exec_fini(exec) == XTC_OK);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void create(int64_t timeout_ns, size_t max_active = 4) {
        xtc_batch_async_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = 8;
        o.max_active = max_active;
        o.resource_capacity = 100;
        o.exec_timeout_ns = timeout_ns;
        o.submit = submit;
        o.collect = collect;
        o.complete = complete;
        o.user = this;
        o.mt_queue_cap = 8;
        REQUIRE(xtc_batch_create_async(xtc_exec_loop(exec, owner), &o, &group) == XTC_OK);
    }
    void proc(int loop, std::function<void()> body) {
        bodies.spawn(xtc_exec_loop(exec, loop), std::move(body));
    }
    uint64_t put() {
        uint64_t handle = 0;
        CHECK(xtc_batch_submit(group, nullptr, 1, &handle) == XTC_OK);
        return handle;
    }
    int run(uint64_t seed) { return xtc_sim_exec_run(exec, seed, 2'000'000); }
    int times_ended(uint64_t handle) const {
        int n = 0;
        for (const auto& end : ends) n += end.first == handle;
        return n;
    }
    xtc_batch_stats_t stats() {
        xtc_batch_stats_t s = {};
        s.size = sizeof(s);
        s.version = XTC_BATCH_VERSION;
        CHECK(xtc_batch_get_stats(group, &s) == XTC_OK);
        return s;
    }

    static int closure(void*) { return 0; }
    static int submit(const xtc_batch_item_t* items, size_t n, void* user, xtc_batch_exec_t* exec) {
        auto* self = static_cast<World*>(user);
        self->driver = xtc_self();
        self->launched_at = xtc_clock_mono();
        self->vectors.emplace_back();
        for (size_t i = 0; i < n; ++i) self->vectors.back().push_back(items[i].handle);
        exec->kind = self->kind;
        exec->fence_fd = self->fence;
        exec->run = closure;
        if (self->kind == XTC_BATCH_EXEC_FUTURE) {
            xtc_promise_drop(self->promise);
            CHECK(xtc_future_new_pair(&self->promise, &exec->future) == XTC_OK);
        }
        return 0;
    }
    static int collect(const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int status,
                       void* user) {
        auto* self = static_cast<World*>(user);
        self->waits.push_back(xtc_clock_mono() - self->launched_at);
        self->statuses.push_back(status);
        for (size_t i = 0; i < n; ++i) results[i].state = self->collected_state;
        return 0;
    }
    static void complete(uint64_t handle, void*, int outcome, void* user) {
        static_cast<World*>(user)->ends.emplace_back(handle, outcome);
    }
};

} // namespace

TEST_CASE("sim batch: wakes, mail, cancels and hand-ins do not move a deadline") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FUTURE, XTC_BATCH_EXEC_FENCE);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(kind, seed);
        World w;
        w.kind = kind;
        w.create(kSecond, 2);
        bool over = false;
        w.proc(0, [&] {
            if (kind == XTC_BATCH_EXEC_FENCE) CHECK(xtc_sim_fd_create(w.exec, &w.fence) == XTC_OK);
            w.put();
            w.put();
            w.put(); // waits
            while (w.statuses.empty()) {
                CHECK(xtc_proc_sleep(7 * kMs) == XTC_OK);
                CHECK(xtc_proc_wake(w.driver) == XTC_OK);
                CHECK(xtc_send(w.driver, "x", 1) == XTC_OK);
                if (w.statuses.empty()) xtc_batch_cancel(w.group, 2);
            }
            over = true;
            CHECK(xtc_batch_close(w.group, XTC_BATCH_CANCEL) == XTC_OK);
            if (kind == XTC_BATCH_EXEC_FENCE) xtc_sim_fd_close(w.fence);
        });
        w.proc(1, [&] {
            while (!over) {
                CHECK(xtc_proc_sleep(3 * kMs) == XTC_OK);
                uint64_t handle = 0;
                if (xtc_batch_submit_mt(w.group, nullptr, 1, &handle) == XTC_OK)
                    xtc_batch_cancel_mt(w.group, handle);
                xtc_batch_resume_mt(w.group, 1);
                xtc_batch_cancel_mt(w.group, 2);
            }
        });
        CHECK(w.run(seed) == XTC_OK);
        REQUIRE(!w.statuses.empty());
        CHECK(w.statuses[0] == XTC_BATCH_EXEC_TIMEOUT);
        CHECK(w.waits[0] >= kSecond);
        CHECK(w.waits[0] < kSecond + kMs); // the driver's turn, no wait begun anew
        CHECK(w.times_ended(1) == 1);
        CHECK(w.ends.size() ==
              static_cast<size_t>(w.stats().completed + w.stats().cancelled + w.stats().failed));
    }
}

TEST_CASE("sim batch: each operation has a deadline of its own") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FUTURE, XTC_BATCH_EXEC_FENCE);
    World w;
    w.kind = kind;
    w.create(kSecond, 1);
    w.proc(0, [&] {
        if (kind == XTC_BATCH_EXEC_FENCE) CHECK(xtc_sim_fd_create(w.exec, &w.fence) == XTC_OK);
        for (size_t i = 1; i <= 3; ++i) {
            w.put();
            while (w.statuses.size() < i) {
                CHECK(xtc_proc_sleep(100 * kMs) == XTC_OK);
                CHECK(xtc_proc_wake(w.driver) == XTC_OK);
            }
        }
        CHECK(xtc_batch_close(w.group, XTC_BATCH_DRAIN) == XTC_OK);
        if (kind == XTC_BATCH_EXEC_FENCE) xtc_sim_fd_close(w.fence);
    });
    CHECK(w.run(5) == XTC_OK);
    CHECK(w.statuses == std::vector<int>(3, XTC_BATCH_EXEC_TIMEOUT));
    for (const int64_t wait : w.waits) {
        CHECK(wait >= kSecond);
        CHECK(wait < kSecond + kMs);
    }
}

TEST_CASE("sim batch: the end, the timeout and a cancel at one instant still end each member once") {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        World w;
        w.create(kSecond, 2);
        w.proc(0, [&] {
            w.put();
            w.put();
            w.put();
        });
        w.proc(0, [&] {
            while (w.vectors.empty()) xtc_yield();
            const int64_t left = w.launched_at + kSecond - xtc_clock_mono();
            CHECK(xtc_proc_sleep(left > 0 ? left : 0) == XTC_OK);
            if (w.promise != nullptr) xtc_promise_set(std::exchange(w.promise, nullptr), 0, XTC_OK);
        });
        w.proc(1, [&] {
            while (w.vectors.empty()) xtc_proc_sleep(kMs);
            const int64_t left = w.launched_at + kSecond - xtc_clock_mono();
            CHECK(xtc_proc_sleep(left > 0 ? left : 0) == XTC_OK);
            CHECK(xtc_batch_cancel_mt(w.group, 1) == XTC_OK);
        });
        w.proc(0, [&] {
            while (w.ends.size() < 2) xtc_proc_sleep(10 * kMs);
            if (w.promise != nullptr) xtc_promise_set(std::exchange(w.promise, nullptr), 0, XTC_OK);
            while (w.ends.size() < 3) {
                xtc_proc_sleep(10 * kMs);
                if (w.promise != nullptr) xtc_promise_set(std::exchange(w.promise, nullptr), 0, XTC_OK);
            }
            CHECK(xtc_batch_close(w.group, XTC_BATCH_DRAIN) == XTC_OK);
        });
        CHECK(w.run(seed) == XTC_OK);
        for (uint64_t handle = 1; handle <= 3; ++handle) CHECK(w.times_ended(handle) == 1);
        const auto stats = w.stats();
        CHECK(stats.queued + stats.ready + stats.blocked + stats.reserved_units == 0);
        CHECK(stats.completed + stats.cancelled + stats.failed == 3);
        CHECK(w.vectors[0] == std::vector<uint64_t>{1, 2});
    }
}

TEST_CASE("sim batch: a closure on the pool is awaited past any timeout and past a cancelling close") {
    World w;
    w.kind = XTC_BATCH_EXEC_BLOCKING;
    w.create(1, 2); // a nanosecond
    w.proc(0, [&] {
        w.put();
        w.put();
        while (w.vectors.empty()) xtc_yield();
        if (w.statuses.empty()) CHECK(xtc_batch_close(w.group, XTC_BATCH_CANCEL) == XTC_OK);
    });
    CHECK(w.run(3) == XTC_OK);
    CHECK(w.statuses == std::vector<int>{XTC_BATCH_EXEC_OK});
    CHECK(w.times_ended(1) == 1);
    CHECK(w.times_ended(2) == 1);
}

TEST_CASE("sim batch: a group that is blocked all over has no timer, no poll and nothing to wake it") {
    World w;
    w.kind = XTC_BATCH_EXEC_SYNC;
    w.collected_state = XTC_BATCH_BLOCKED;
    w.create(kSecond);
    w.proc(0, [&] { w.put(); });
    CHECK(w.run(1) == XTC_E_DEADLK); // no event is left in the world
    CHECK(w.stats().blocked == 1);
    w.proc(0, [&] { CHECK(xtc_batch_close(w.group, XTC_BATCH_CANCEL) == XTC_OK); });
    CHECK(w.run(1) == XTC_OK);
    CHECK(w.times_ended(1) == 1);
}

TEST_CASE("sim batch: loops that share a thread are told apart, whichever one owns the group") {
    const int owner = GENERATE(0, 1, 2);
    World w(3, owner);
    w.kind = XTC_BATCH_EXEC_SYNC;
    w.create(0);
    int foreign = 0;
    for (int loop = 0; loop < 3; ++loop) {
        if (loop == owner) continue;
        w.proc(loop, [&] {
            uint64_t handle = 0;
            foreign += xtc_batch_submit(w.group, nullptr, 1, &handle) == XTC_E_INVAL;
            foreign += xtc_batch_cancel(w.group, 1) == XTC_E_INVAL;
            foreign += xtc_batch_resume(w.group, 1) == XTC_E_INVAL;
            foreign += xtc_batch_close(w.group, XTC_BATCH_CANCEL) == XTC_E_INVAL;
            foreign += xtc_batch_destroy(w.group) == XTC_E_INVAL;
            foreign += xtc_batch_submit_mt(w.group, nullptr, 1, &handle) == XTC_OK;
        });
    }
    w.proc(owner, [&] {
        w.put();
        while (w.ends.size() < 3) xtc_proc_sleep(kMs);
        CHECK(xtc_batch_close(w.group, XTC_BATCH_DRAIN) == XTC_OK);
    });
    CHECK(w.run(static_cast<uint64_t>(owner) + 1) == XTC_OK);
    CHECK(foreign == 12);
    CHECK(w.stats().completed == 3);
}

TEST_CASE("sim batch: no group is made once a simulation has stepped") {
    World w;
    w.proc(0, [] {});
    CHECK(w.run(1) == XTC_OK);
    xtc_batch_async_opts_t o = {};
    o.size = sizeof(o);
    o.version = XTC_BATCH_VERSION;
    o.capacity = o.max_active = 1;
    o.resource_capacity = 1;
    o.submit = World::submit;
    o.collect = World::collect;
    o.complete = World::complete;
    xtc_batch_t* group = nullptr;
    CHECK(xtc_batch_create_async(xtc_exec_loop(w.exec, 0), &o, &group) == XTC_E_AGAIN);
    CHECK(group == nullptr);
}

TEST_CASE("sim batch: what a device resolves after the group is gone finds nobody") {
    xtc_promise_t* late = nullptr;
    {
        World w;
        w.create(kSecond);
        w.proc(0, [&] {
            w.put();
            while (w.statuses.empty()) xtc_proc_sleep(100 * kMs);
            CHECK(xtc_batch_close(w.group, XTC_BATCH_DRAIN) == XTC_OK);
        });
        CHECK(w.run(9) == XTC_OK);
        CHECK(w.ends ==
              std::vector<std::pair<uint64_t, int>>{{1, XTC_OK}}); // DONE is honoured after a timeout
        late = std::exchange(w.promise, nullptr);
    }
    CHECK(xtc_promise_abandoned(late) == 1);
    CHECK(xtc_promise_set(late, 1, XTC_OK) == XTC_OK);
}

TEST_CASE("sim batch: placement may be asked inside a simulation and answers the same each time") {
    World w;
    xtc_accel_dev_t device = {};
    device.name[0] = 'x';
    std::vector<int> answers;
    w.proc(1, [&] {
        for (int i = 0; i < 3; ++i) {
            int near = -1;
            CHECK(xtc_batch_loop_for_device(w.exec, &device, &near) == XTC_OK);
            answers.push_back(near);
        }
    });
    CHECK(w.run(1) == XTC_OK);
    CHECK(answers == std::vector<int>(3, 0));
}
