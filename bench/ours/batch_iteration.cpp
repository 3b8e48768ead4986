// SPDX-License-Identifier: ISC
// `batch-iteration`: what an iteration costs for each member that continues, and how much of that is the
// engine: the same callback over the same arrays in a plain loop, measured in the same process, is the floor.
// --blocked N: so many more members of the group are BLOCKED all the time.
#include <algorithm>

#include "batch_group.hpp"

namespace {

using bench::Request;

struct Run {
    std::size_t ready, blocked;
    std::uint64_t iterations;
    std::uint64_t checksum = 0, steps = 0, completed = 0;
    std::int64_t begun = 0, took = 0;
    std::vector<Request> requests;
    xtc_batch_t* group = nullptr;
};

int step(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count, void* user) {
    auto& run = *static_cast<Run*>(user);
    for (size_t i = 0; i < count; ++i) {
        auto* request = static_cast<Request*>(items[i].request);
        results[i].state = bench::one_step(*request) ? XTC_BATCH_DONE : XTC_BATCH_CONTINUE;
    }
    ++run.steps;
    return XTC_OK;
}

// Those to be blocked are submitted first and block at once; then the clock starts with the first step of
// the others alone.
int step_with_blocked(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count, void* user) {
    auto& run = *static_cast<Run*>(user);
    if (count == run.ready && items[0].request != nullptr) {
        if (run.steps == 0) run.begun = bench::now_ns();
        step(items, results, count, user);
        if (run.steps == run.iterations) run.took = bench::now_ns() - run.begun;
        return XTC_OK;
    }
    for (size_t i = 0; i < count; ++i) results[i].state = XTC_BATCH_BLOCKED;
    return XTC_OK;
}

void complete(std::uint64_t, void* request, int, void* user) {
    auto& run = *static_cast<Run*>(user);
    if (request == nullptr) return;
    ++run.completed;
    run.checksum += static_cast<Request*>(request)->value;
}

double engine_ns(Run& run) {
    bench::Solo loop;
    xtc_batch_opts_t opts{};
    opts.size = sizeof opts;
    opts.version = XTC_BATCH_VERSION;
    opts.capacity = opts.max_active = run.ready + run.blocked;
    opts.resource_capacity = run.ready + run.blocked;
    opts.step = step_with_blocked;
    opts.complete = complete;
    opts.user = &run;
    bench::ok(xtc_batch_create(loop.get(), &opts, &run.group), "xtc_batch_create");
    std::uint64_t handle;
    for (std::size_t i = 0; i < run.blocked; ++i)
        bench::ok(xtc_batch_submit(run.group, nullptr, 1, &handle), "xtc_batch_submit");
    auto feed = [&run] {
        xtc_batch_stats_t stats{};
        stats.size = sizeof stats;
        stats.version = XTC_BATCH_VERSION;
        do {
            xtc_proc_sleep(1);
            bench::ok(xtc_batch_get_stats(run.group, &stats), "xtc_batch_get_stats");
        } while (stats.blocked != run.blocked);
        std::uint64_t fed;
        for (Request& request : run.requests)
            bench::ok(xtc_batch_submit(run.group, &request, 1, &fed), "xtc_batch_submit");
        while (run.completed < run.ready) xtc_proc_sleep(1'000'000);
        bench::ok(xtc_batch_close(run.group, XTC_BATCH_CANCEL), "xtc_batch_close");
    };
    bench::start(loop.get(), feed);
    loop.run();
    bench::ok(xtc_batch_destroy(run.group), "xtc_batch_destroy");
    return double(run.took) / double(run.iterations) / double(run.ready);
}

double floor_ns(Run& run) {
    std::vector<xtc_batch_item_t> items(run.ready);
    std::vector<xtc_batch_result_t> results(run.ready);
    for (std::size_t i = 0; i < run.ready; ++i) {
        items[i].handle = i + 1;
        items[i].request = &run.requests[i];
    }
    int (*volatile callback)(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, void*) = step;
    const std::int64_t begun = bench::now_ns();
    for (std::uint64_t i = 0; i < run.iterations; ++i)
        callback(items.data(), results.data(), run.ready, &run);
    const std::int64_t took = bench::now_ns() - begun;
    for (const Request& request : run.requests) run.checksum += request.value;
    return double(took) / double(run.iterations) / double(run.ready);
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "256");
    Run ours{}, plain{};
    ours.ready = plain.ready = std::stoul(variant);
    ours.blocked = opts.number("blocked", 0);
    const std::uint64_t work = opts.number("work", 10'000'000);
    ours.iterations = plain.iterations = std::max<std::uint64_t>(1, work / ours.ready);
    ours.requests = bench::requests(ours.ready, ours.iterations);
    plain.requests = ours.requests;
    const double floor = floor_ns(plain), engine = engine_ns(ours);
    if (ours.checksum != plain.checksum) bench::fail("the engine and the plain loop did different work");
    bench::print({"batch-iteration",
                  opts.text("side", "ours"),
                  variant,
                  "ns",
                  engine,
                  work,
                  ours.checksum,
                  {{"above_floor", engine - floor}, {"floor", floor}}});
}
