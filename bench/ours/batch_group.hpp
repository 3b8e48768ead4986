// SPDX-License-Identifier: ISC
// A group of `slots` requests, `active` of them in a step. Each request is a countdown of steps; what is done
// for one is the same small work on all sides of the batch benchmarks.
#pragma once

#include <xtc_batch.h>

#include "batch_work.hpp"
#include "solo.hpp"

namespace bench {

class Group {
public:
    std::uint64_t completed = 0, checksum = 0, steps = 0;

    Group(xtc_loop_t* loop, std::size_t slots, std::size_t active, std::size_t mt_queue = 0) {
        const auto fill = [&](auto& opts) {
            opts.size = sizeof opts;
            opts.version = XTC_BATCH_VERSION;
            opts.capacity = slots;
            opts.max_active = active;
            opts.resource_capacity = slots;
            opts.complete = complete;
            opts.user = this;
        };
        if (mt_queue != 0) {
            xtc_batch_async_opts_t opts{};
            fill(opts);
            opts.submit = submit;
            opts.collect = collect;
            opts.mt_queue_cap = mt_queue;
            ok(xtc_batch_create_async(loop, &opts, &group_), "xtc_batch_create_async");
        } else {
            xtc_batch_opts_t opts{};
            fill(opts);
            opts.step = step;
            ok(xtc_batch_create(loop, &opts, &group_), "xtc_batch_create");
        }
    }
    ~Group() { ok(xtc_batch_destroy(group_), "xtc_batch_destroy"); } // the driver has gone: the loop has run
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    xtc_batch_t* get() const { return group_; }
    bool offer(Request& request) {
        std::uint64_t handle;
        const int status = xtc_batch_submit(group_, &request, 1, &handle);
        if (status != XTC_E_AGAIN) ok(status, "xtc_batch_submit");
        return status == XTC_OK;
    }
    bool offer_from_elsewhere(Request& request) {
        std::uint64_t handle;
        const int status = xtc_batch_submit_mt(group_, &request, 1, &handle);
        if (status != XTC_E_AGAIN) ok(status, "xtc_batch_submit_mt");
        return status == XTC_OK;
    }
    void close() { ok(xtc_batch_close(group_, XTC_BATCH_DRAIN), "xtc_batch_close"); }

private:
    xtc_batch_t* group_ = nullptr;

    static int step(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count, void* user) {
        auto* self = static_cast<Group*>(user);
        ++self->steps;
        for (size_t i = 0; i < count; ++i) {
            auto* request = static_cast<Request*>(items[i].request);
            results[i].state = one_step(*request) ? XTC_BATCH_DONE : XTC_BATCH_CONTINUE;
        }
        return XTC_OK;
    }
    static int submit(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_SYNC;
        return XTC_OK;
    }
    static int collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count, int,
                       void* user) {
        return step(items, results, count, user);
    }
    static void complete(std::uint64_t, void* request, int, void* user) {
        auto* self = static_cast<Group*>(user);
        ++self->completed;
        self->checksum += static_cast<Request*>(request)->value;
    }
};

} // namespace bench
