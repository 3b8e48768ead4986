// SPDX-License-Identifier: ISC
// `batch-life`: requests from submit to complete, one step each, the group kept full: by a process of the
// owner loop (`owner`), or by 1, 2 or 8 plain threads (`mt-1` ...). --slots N, --active N.
#include <thread>

#include <xtc_async.h>

#include "batch_group.hpp"

namespace {

std::int64_t by_owner(bench::Group& group, xtc_loop_t* loop, std::vector<bench::Request>& all) {
    std::int64_t took = 0;
    auto feed = [&] {
        const std::int64_t begun = bench::now_ns();
        for (bench::Request& request : all)
            while (!group.offer(request)) xtc_yield();
        while (group.completed < all.size()) xtc_yield();
        took = bench::now_ns() - begun;
        group.close();
    };
    bench::start(loop, feed);
    bench::ok(xtc_loop_run(loop), "xtc_loop_run");
    return took;
}

std::int64_t by_threads(bench::Group& group, xtc_loop_t* loop, std::vector<bench::Request>& all,
                        std::uint64_t producers) {
    std::int64_t begun = bench::now_ns(), took = 0;
    std::vector<std::thread> threads;
    for (std::uint64_t p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            for (std::uint64_t i = p; i < all.size(); i += producers)
                while (!group.offer_from_elsewhere(all[i])) std::this_thread::yield();
        });
    }
    auto watch = [&] {
        while (group.completed < all.size()) xtc_proc_sleep(50'000);
        took = bench::now_ns() - begun;
        group.close();
    };
    bench::start(loop, watch);
    bench::ok(xtc_loop_run(loop), "xtc_loop_run");
    for (std::thread& thread : threads) thread.join();
    return took;
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "owner");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::uint64_t producers = variant.starts_with("mt-") ? std::stoull(variant.substr(3)) : 0;
    const std::uint64_t slots = opts.number("slots", 1024), active = opts.number("active", 256);
    std::vector<bench::Request> all = bench::requests(work);
    bench::Solo loop;
    bench::Group group(loop.get(), slots, active < slots ? active : slots, producers != 0 ? slots : 0);
    const std::int64_t took =
        producers == 0 ? by_owner(group, loop.get(), all) : by_threads(group, loop.get(), all, producers);
    bench::print({"batch-life",
                  opts.text("side", "ours"),
                  variant,
                  "ns",
                  double(took) / double(work),
                  group.completed,
                  group.checksum,
                  {{"vector", double(work) / double(group.steps)}}});
}
