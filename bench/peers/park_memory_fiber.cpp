// SPDX-License-Identifier: ISC
// `park-memory` on Boost.Fiber: fibers with 16 KiB stacks, all waiting on one condition variable.
#include <boost/fiber/all.hpp>

#include <vector>

#include "sample.hpp"

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 100'000);

    boost::fibers::mutex mutex;
    boost::fibers::condition_variable gate;
    bool open = false;
    std::uint64_t parked = 0, checksum = 0;

    std::vector<boost::fibers::fiber> fibers;
    fibers.reserve(work);
    boost::fibers::fixedsize_stack stacks(16384);
    const std::uint64_t rss = bench::memory_field("VmRSS"), tables = bench::memory_field("VmPTE");
    for (std::uint64_t i = 0; i < work; ++i)
        fibers.emplace_back(std::allocator_arg, stacks, [&, i] {
            std::unique_lock lock(mutex);
            ++parked;
            gate.wait(lock, [&] { return open; });
            checksum += i;
        });
    while (parked < work) boost::this_fiber::yield();
    const double per = double(bench::memory_field("VmRSS") - rss) / double(work);
    const double table = double(bench::memory_field("VmPTE") - tables) / double(work);
    open = true;
    gate.notify_all();
    for (auto& f : fibers) f.join();
    bench::print({"park-memory",
                  "boost-fiber",
                  opts.text("variant", "100k"),
                  "bytes",
                  per,
                  parked,
                  checksum,
                  {{"page_table_bytes", table}}});
}
