// SPDX-License-Identifier: ISC
// `batch-life` on Boost.Fiber: requests go through a buffered channel to a fiber that gathers them; the
// producer is a fiber of the same thread (`owner`), or threads of their own.
#include <thread>

#include <boost/fiber/all.hpp>

#include "batch_work.hpp"
#include "sample.hpp"

namespace {

using Channel = boost::fibers::buffered_channel<bench::Request*>;

void serve(Channel& channel, bench::Batch& batch, std::uint64_t count, std::size_t active) {
    while (batch.completed < count) {
        bench::Request* request = nullptr;
        if (batch.members.empty()) {
            if (channel.pop(request) != boost::fibers::channel_op_status::success) return;
            batch.members.push_back(request);
        }
        while (batch.members.size() < active &&
               channel.try_pop(request) == boost::fibers::channel_op_status::success)
            batch.members.push_back(request);
        batch.step();
        boost::this_fiber::yield();
    }
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "owner");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::uint64_t producers = variant.starts_with("mt-") ? std::stoull(variant.substr(3)) : 0;
    std::vector<bench::Request> all = bench::requests(work);
    Channel channel(opts.number("slots", 1024));
    bench::Batch batch;
    const auto feed = [&](std::uint64_t first, std::uint64_t step) {
        for (std::uint64_t i = first; i < all.size(); i += step) channel.push(&all[i]);
    };
    const std::int64_t begun = bench::now_ns();
    boost::fibers::fiber server([&] { serve(channel, batch, work, opts.number("active", 256)); });
    std::vector<std::thread> threads;
    if (producers == 0) boost::fibers::fiber([&] { feed(0, 1); }).join();
    for (std::uint64_t p = 0; p < producers; ++p) threads.emplace_back([&, p] { feed(p, producers); });
    server.join();
    const std::int64_t took = bench::now_ns() - begun;
    for (std::thread& thread : threads) thread.join();
    bench::print({"batch-life",
                  "boost-fiber",
                  variant,
                  "ns",
                  double(took) / double(work),
                  batch.completed,
                  batch.checksum,
                  {{"vector", double(work) / double(batch.steps)}}});
}
