// SPDX-License-Identifier: ISC
//
// Groups that are fed from other loops and from plain threads, with the answers on the asker's own loop.
#include "batch/story.hpp"
#include "support/loops.hpp"

#include <xtc_future.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using story::Handles;
using story::Story;

namespace {

// An inline group on one loop of an executor; each request carries the promise of its answer.
struct Service {
    struct Request {
        xtc_promise_t* reply;
        int value;
    };
    xtc_batch_t* group = nullptr;
    std::atomic<int> wrong{0};
    int own_loop = -1;

    static int submit(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_SYNC;
        return 0;
    }
    static int collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int,
                       void* user) {
        auto* self = static_cast<Service*>(user);
        if (xtc_exec_loop_id() != self->own_loop) ++self->wrong;
        for (size_t i = 0; i < n; ++i) {
            static_cast<Request*>(items[i].request)->value *= 2;
            results[i].state = XTC_BATCH_DONE;
        }
        return 0;
    }
    static void complete(uint64_t, void* request, int outcome, void* user) {
        auto* self = static_cast<Service*>(user);
        if (xtc_exec_loop_id() != self->own_loop) ++self->wrong;
        auto* r = static_cast<Request*>(request);
        xtc_promise_set(r->reply, r->value, outcome);
    }
    int create(xtc_exec_t* exec, int loop) {
        own_loop = loop;
        xtc_batch_async_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = 4;
        o.max_active = 4;
        o.resource_capacity = 100;
        o.submit = submit;
        o.collect = collect;
        o.complete = complete;
        o.user = this;
        o.mt_queue_cap = 4;
        return xtc_batch_create_async(xtc_exec_loop(exec, loop), &o, &group);
    }
    // Hands in, waits for the answer where the caller is; back_off between refusals.
    template <typename BackOff> bool ask(int value, BackOff back_off) {
        xtc_future_t* answer = nullptr;
        Request request = {nullptr, value};
        if (xtc_future_new_pair(&request.reply, &answer) != XTC_OK) return false;
        uint64_t handle = 0;
        int rc;
        while ((rc = xtc_batch_submit_mt(group, &request, 1, &handle)) == XTC_E_AGAIN) back_off();
        if (rc != XTC_OK || handle == 0) return false;
        intptr_t got = 0;
        return xtc_future_wait(answer, &got, -1) == XTC_OK && got == value * 2;
    }
};

} // namespace

TEST_CASE("another loop's fibers and plain threads hand in and await their answers at home", "[threads]") {
    constexpr int each = 300;
    xtc::test::TestExec exec(3);
    Service service;
    REQUIRE(service.create(exec, 2) == XTC_OK);
    std::atomic<int> right{0}, askers{4};
    std::atomic<int> closed{1};
    const auto done = [&] { --askers; };
    for (const int loop : {0, 1})
        exec.proc(loop, [&] {
            for (int i = 0; i < each; ++i) right += service.ask(i, [] { xtc_yield(); });
            done();
        });
    exec.proc(0, [&] {
        for (int i = 0; i < each; ++i) right += service.ask(i, [] { xtc_proc_sleep(20'000); });
        done();
    });
    std::thread plain([&] {
        for (int i = 0; i < each; ++i) right += service.ask(i, [] { std::this_thread::yield(); });
        done();
    });
    exec.proc(2, [&] {
        while (askers.load() != 0) xtc_proc_sleep(100'000);
        closed = xtc_batch_close(service.group, XTC_BATCH_DRAIN);
    });
    exec.run();
    plain.join();
    CHECK(closed.load() == XTC_OK);
    CHECK(right.load() == 4 * each);
    CHECK(service.wrong.load() == 0); // every callback ran on the group's own loop
    CHECK(xtc_batch_destroy(service.group) == XTC_OK);
}

TEST_CASE("a third thread that learns a handle at once can cancel with it, and is never too early",
          "[threads]") {
    constexpr int rounds = 4000;
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED); // only a cancel ends it
    s.make_async({.capacity = 2, .max_active = 2, .mt = 4});
    std::atomic<uint64_t> told{0};
    std::atomic<bool> over{false};
    std::atomic<int> odd{0};
    std::thread producer([&] {
        for (int i = 0; i < rounds; ++i) {
            uint64_t handle = 0;
            while (xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN)
                std::this_thread::yield();
            while (told.load() != 0) std::this_thread::yield();
            told = handle;
        }
        while (told.load() != 0) std::this_thread::yield();
        over = true;
    });
    std::thread canceller([&] {
        while (!over.load()) {
            const uint64_t handle = told.load();
            if (handle == 0) {
                std::this_thread::yield();
                continue;
            }
            int rc;
            while ((rc = xtc_batch_cancel_mt(s.group, handle)) == XTC_E_AGAIN) std::this_thread::yield();
            if (rc != XTC_OK) ++odd;
            told = 0;
        }
    });
    CHECK(s.until([&] { return s.ends.size() == rounds; }));
    producer.join();
    canceller.join();
    CHECK(odd.load() == 0);
    CHECK(s.stats().cancelled == rounds);
    CHECK(s.stats().blocked == 0);
}

TEST_CASE("a device's thread that holds a lock collect waits for hands in and resolves without waiting",
          "[threads]") {
    Story s;
    std::mutex lock;
    std::condition_variable changed;
    bool is_locked = false;
    xtc_promise_t* promise = nullptr;
    std::atomic<int> answers{0};
    s.on_submit = [&](const xtc_batch_item_t*, size_t n, xtc_batch_exec_t* exec) {
        if (n == 1 && s.vectors.size() == 1) {
            exec->kind = XTC_BATCH_EXEC_FUTURE;
            CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
        } else {
            exec->kind = XTC_BATCH_EXEC_SYNC;
        }
        return 0;
    };
    s.on_collect = [&](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int) {
        std::lock_guard hold(lock); // the device has it until its calls have returned
        for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_DONE;
        return 0;
    };
    s.make_async({.mt = 4});
    s.put();
    s.settle();
    std::thread device([&] {
        std::unique_lock hold(lock);
        answers += xtc_promise_set(promise, 0, XTC_OK) == XTC_OK;
        uint64_t handle = 0;
        answers += xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_OK;
        answers += xtc_batch_cancel_mt(s.group, 1) == XTC_OK;
        is_locked = true;
        changed.notify_all();
    });
    {
        std::unique_lock hold(lock);
        changed.wait(hold, [&] { return is_locked; });
    }
    CHECK(s.until([&] { return s.ends.size() == 2; }));
    device.join();
    CHECK(answers.load() == 3);
    CHECK(s.outcome_of(2) == XTC_OK);
}

TEST_CASE("on one thread it is the loop that counts: a fiber of another loop is foreign") {
    Story s;
    s.make_async({.mt = 2});
    xtc::test::TestLoop other;
    uint64_t handed = 0;
    other.proc([&] {
        uint64_t handle = 77;
        CHECK(s.try_submit(1, &handle) == XTC_E_INVAL);
        CHECK(handle == 77);
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_E_INVAL);
        CHECK(xtc_batch_resume(s.group, 1) == XTC_E_INVAL);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_CANCEL) == XTC_E_INVAL);
        CHECK(xtc_batch_drain_for(s.group, 0) == XTC_E_INVAL);
        CHECK(xtc_batch_destroy(s.group) == XTC_E_INVAL);
        handed = s.put_mt(); // this is for everybody
    });
    other.run();
    s.settle();
    CHECK(s.outcome_of(handed) == XTC_OK);
}

TEST_CASE("groups on several loops behind a router: each key is served on its own loop", "[threads]") {
    constexpr int shards = 3, each = 200;
    xtc::test::TestExec exec(shards);
    Service services[shards];
    xtc_batch_t* groups[shards];
    for (int i = 0; i < shards; ++i) {
        REQUIRE(services[i].create(exec, i) == XTC_OK);
        groups[i] = services[i].group;
    }
    xtc_batch_router_t* router = nullptr;
    REQUIRE(xtc_batch_router_create(groups, shards, &router) == XTC_OK);
    std::atomic<int> right{0}, strayed{0};
    std::thread asker([&] {
        for (int key = 0; key < each; ++key) {
            xtc_batch_t* group = xtc_batch_route(router, static_cast<uint64_t>(key));
            Service* at = &services[0];
            while (at->group != group) ++at;
            if (at->own_loop != key % shards) ++strayed;
            right += at->ask(key, [] { std::this_thread::yield(); });
        }
        xtc_batch_router_destroy(router); // the groups do not notice
        for (Service& service : services) right += service.ask(1, [] { std::this_thread::yield(); });
    });
    std::atomic<int> closed{0};
    for (int i = 0; i < shards; ++i)
        exec.proc(i, [&, i] {
            while (right.load() != each + shards) xtc_proc_sleep(100'000);
            closed += xtc_batch_close(groups[i], XTC_BATCH_DRAIN) == XTC_OK;
        });
    exec.run();
    asker.join();
    CHECK(right.load() == each + shards);
    CHECK(strayed.load() == 0);
    CHECK(closed.load() == shards);
    for (const Service& service : services) {
        CHECK(service.wrong.load() == 0); // a group stays on its loop
        CHECK(xtc_batch_destroy(service.group) == XTC_OK);
    }
}
