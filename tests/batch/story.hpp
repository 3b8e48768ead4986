// SPDX-License-Identifier: ISC
//
// A group on a loop that the test steps itself, and what its callbacks saw. The loop runs on the test's
// thread, so a callback may CHECK; it must not REQUIRE.
#pragma once

#include <catch2/catch.hpp>

#include <xtc_async.h>
#include <xtc_batch.h>
#include <xtc_loop.h>
#include <xtc_proc.h>
#include <xtc_res.h>

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <utility>
#include <vector>

namespace story {

struct Limits {
    size_t capacity = 8;
    size_t max_active = 4;
    uint64_t units = 100;
    int64_t timeout_ns = 0;
    size_t mt = 0;
};

using Handles = std::vector<uint64_t>;

class Story {
public:
    Story() { REQUIRE(xtc_loop_init(&loop) == XTC_OK); }
    ~Story() {
        if (group != nullptr) end();
        CHECK(xtc_loop_fini(loop) == XTC_OK);
    }
    Story(const Story&) = delete;
    Story& operator=(const Story&) = delete;

    xtc_loop_t* loop = nullptr;
    xtc_batch_t* group = nullptr;

    // what the callbacks saw
    std::vector<Handles> vectors;                  // of step or submit
    std::vector<std::pair<Handles, int>> collects; // with their exec_status
    std::vector<std::pair<uint64_t, int>> ends;    // with their outcomes
    Handles hints;
    xtc_pid_t driver = {}; // known from the first callback on

    // what the callbacks do; by default every member is done at once, inline
    std::function<int(const xtc_batch_item_t*, xtc_batch_result_t*, size_t)> on_step =
        everyone(XTC_BATCH_DONE);
    std::function<int(const xtc_batch_item_t*, size_t, xtc_batch_exec_t*)> on_submit =
        [](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            exec->kind = XTC_BATCH_EXEC_SYNC;
            return 0;
        };
    std::function<int(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int)> on_collect =
        [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int) {
            for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_DONE;
            return 0;
        };
    std::function<void(uint64_t, void*, int)> on_complete;
    std::function<void(uint64_t)> on_hint;

    static std::function<int(const xtc_batch_item_t*, xtc_batch_result_t*, size_t)> everyone(int state) {
        return [state](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n) {
            for (size_t i = 0; i < n; ++i) results[i].state = state;
            return 0;
        };
    }
    static std::function<int(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int)>
    collect_all(int state) {
        return [state](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int) {
            for (size_t i = 0; i < n; ++i) results[i].state = state;
            return 0;
        };
    }

    xtc_batch_opts_t opts(const Limits& limits) {
        xtc_batch_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = limits.capacity;
        o.max_active = limits.max_active;
        o.resource_capacity = limits.units;
        o.step = step;
        o.complete = complete;
        o.user = this;
        return o;
    }
    xtc_batch_async_opts_t async_opts(const Limits& limits) {
        xtc_batch_async_opts_t o = {};
        o.size = sizeof(o);
        o.version = XTC_BATCH_VERSION;
        o.capacity = limits.capacity;
        o.max_active = limits.max_active;
        o.resource_capacity = limits.units;
        o.exec_timeout_ns = limits.timeout_ns;
        o.submit = submit;
        o.collect = collect;
        o.complete = complete;
        o.cancel_hint = hint;
        o.user = this;
        o.mt_queue_cap = limits.mt;
        return o;
    }
    void make_sync(const Limits& limits = {}) {
        const auto o = opts(limits);
        REQUIRE(xtc_batch_create(loop, &o, &group) == XTC_OK);
    }
    void make_async(const Limits& limits = {}) {
        const auto o = async_opts(limits);
        REQUIRE(xtc_batch_create_async(loop, &o, &group) == XTC_OK);
    }

    // Steps until there is nothing to do.
    void settle() {
        while (xtc_loop_step(loop, 0) == XTC_OK) {
        }
    }
    // Steps, sleeping if need be, until it is so; false after ten seconds without.
    bool until(const std::function<bool()>& so) { return until_ms(10'000, so); }
    bool until_ms(int64_t ms, const std::function<bool()>& so) {
        const int64_t limit = xtc_clock_mono() + ms * 1'000'000;
        while (!so()) {
            const int64_t left = limit - xtc_clock_mono();
            if (left <= 0) return false;
            xtc_loop_step(loop, std::min<int64_t>(left, 100'000'000));
        }
        return true;
    }
    // Runs fn on a process of the loop, as a peer of the driver, and settles.
    void on_loop(std::function<void()> fn) {
        start(std::move(fn));
        settle();
    }
    void start(std::function<void()> fn) {
        started_.push_back(std::move(fn));
        const auto run = [](void* raw) { (*static_cast<std::function<void()>*>(raw))(); };
        REQUIRE(xtc_proc_spawn(loop, run, &started_.back(), nullptr, nullptr) == XTC_OK);
    }

    // Owner calls, from wherever they are allowed right now.
    int try_submit(uint64_t charge, uint64_t* handle, void* request = nullptr) {
        return xtc_batch_submit(group, request, charge, handle);
    }
    uint64_t put(uint64_t charge = 1, void* request = nullptr) {
        uint64_t handle = 0;
        CHECK(xtc_batch_submit(group, request, charge, &handle) == XTC_OK);
        return handle;
    }
    uint64_t put_mt(uint64_t charge = 1) {
        uint64_t handle = 0;
        CHECK(xtc_batch_submit_mt(group, nullptr, charge, &handle) == XTC_OK);
        return handle;
    }
    xtc_batch_stats_t stats() {
        xtc_batch_stats_t s = {};
        s.size = sizeof(s);
        s.version = XTC_BATCH_VERSION;
        CHECK(xtc_batch_get_stats(group, &s) == XTC_OK);
        return s;
    }
    xtc_batch_async_stats_t async_stats() {
        xtc_batch_async_stats_t s = {};
        s.size = sizeof(s);
        s.version = XTC_BATCH_VERSION;
        CHECK(xtc_batch_get_async_stats(group, &s) == XTC_OK);
        return s;
    }
    int outcome_of(uint64_t handle) const { // 1: not ended, 2: more than once
        int outcome = 1;
        for (const auto& [ended, code] : ends)
            if (ended == handle) outcome = outcome == 1 ? code : 2;
        return outcome;
    }
    bool ended(uint64_t handle) const { return outcome_of(handle) != 1; }

    // Closes if nobody has, runs the driver to its end and destroys: everything must be back where it was.
    void end(xtc_batch_close_mode mode = XTC_BATCH_CANCEL) {
        start([this, mode] { CHECK(xtc_batch_close(group, mode) == XTC_OK); });
        int rc = XTC_E_AGAIN;
        CHECK(until([&] {
            rc = xtc_batch_destroy(group);
            return rc != XTC_E_AGAIN;
        }));
        CHECK(rc == XTC_OK);
        CHECK(xtc_res_used(xtc_loop_res(loop), XTC_RES_MEM_BYTES) == 0);
        group = nullptr;
    }

private:
    std::list<std::function<void()>> started_;

    static Handles handles_of(const xtc_batch_item_t* items, size_t n) {
        Handles handles;
        for (size_t i = 0; i < n; ++i) handles.push_back(items[i].handle);
        return handles;
    }
    static int step(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, void* user) {
        auto* self = static_cast<Story*>(user);
        self->driver = xtc_self();
        self->vectors.push_back(handles_of(items, n));
        for (size_t i = 0; i < n; ++i) CHECK(results[i].state == XTC_BATCH_UNSET);
        return self->on_step(items, results, n);
    }
    static int submit(const xtc_batch_item_t* items, size_t n, void* user, xtc_batch_exec_t* exec) {
        auto* self = static_cast<Story*>(user);
        self->driver = xtc_self();
        self->vectors.push_back(handles_of(items, n));
        CHECK(exec->kind == 0);
        CHECK(exec->fence_fd == -1);
        CHECK(exec->future == nullptr);
        return self->on_submit(items, n, exec);
    }
    static int collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int status,
                       void* user) {
        auto* self = static_cast<Story*>(user);
        self->collects.emplace_back(handles_of(items, n), status);
        for (size_t i = 0; i < n; ++i) CHECK(results[i].state == XTC_BATCH_UNSET);
        return self->on_collect(items, results, n, status);
    }
    static void complete(uint64_t handle, void* request, int outcome, void* user) {
        auto* self = static_cast<Story*>(user);
        self->ends.emplace_back(handle, outcome);
        if (self->on_complete) self->on_complete(handle, request, outcome);
    }
    static void hint(uint64_t handle, void*, void* user) {
        auto* self = static_cast<Story*>(user);
        self->hints.push_back(handle);
        if (self->on_hint) self->on_hint(handle);
    }
};

} // namespace story
