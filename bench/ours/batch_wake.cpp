// SPDX-License-Identifier: ISC
// `batch-wake`: from a submit_mt on another thread to an idle group until its step runs; the loop sleeps
// between (`parked`) or looks for work (`spinning`).
#include <atomic>
#include <thread>

#include "batch_group.hpp"
#include "wake_pace.hpp"

namespace {

bench::Pace* pace = nullptr;

int submit(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t* exec) {
    pace->arrived();
    exec->kind = XTC_BATCH_EXEC_SYNC;
    return XTC_OK;
}
int collect(const xtc_batch_item_t*, xtc_batch_result_t* results, size_t count, int, void*) {
    for (size_t i = 0; i < count; ++i) results[i].state = XTC_BATCH_DONE;
    return XTC_OK;
}
void complete(std::uint64_t, void*, int, void*) {}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "parked");
    const std::uint64_t work = opts.number("work", 20'000);
    const auto cpus = bench::some_cpus(2);
    bench::Solo loop;
    if (variant == "spinning") bench::ok(xtc_loop_set_spin(loop.get(), 10'000'000), "xtc_loop_set_spin");
    xtc_batch_async_opts_t group_opts{};
    group_opts.size = sizeof group_opts;
    group_opts.version = XTC_BATCH_VERSION;
    group_opts.capacity = group_opts.max_active = 16;
    group_opts.resource_capacity = 16;
    group_opts.submit = submit;
    group_opts.collect = collect;
    group_opts.complete = complete;
    group_opts.mt_queue_cap = 16;
    xtc_batch_t* group = nullptr;
    bench::ok(xtc_batch_create_async(loop.get(), &group_opts, &group), "xtc_batch_create_async");

    bench::Pace paced(variant == "spinning", work);
    pace = &paced;
    bool is_over = false;
    std::thread producer([&] {
        bench::pin_thread(cpus[1]);
        paced.run([&] {
            std::uint64_t handle;
            bench::ok(xtc_batch_submit_mt(group, nullptr, 1, &handle), "xtc_batch_submit_mt");
        });
    });
    bench::pin_thread(cpus[0]);
    auto close = [&] {
        while (!paced.is_over()) xtc_proc_sleep(20'000'000);
        bench::ok(xtc_batch_close(group, XTC_BATCH_DRAIN), "xtc_batch_close");
        is_over = true;
    };
    bench::start(loop.get(), close);
    loop.run();
    producer.join();
    bench::need(is_over, "run");
    bench::ok(xtc_batch_destroy(group), "xtc_batch_destroy");
    paced.print("batch-wake", "ours", variant);
}
