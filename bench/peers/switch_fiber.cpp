// SPDX-License-Identifier: ISC
// `switch` on Boost.Fiber: this_fiber::yield through its round-robin scheduler.
#include <boost/fiber/all.hpp>

#include <vector>

#include "sample.hpp"

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "two");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::uint64_t fibers = variant == "two" ? 2 : 1000, each = work / fibers, warm = each / 10 + 1;

    std::uint64_t switches = 0, checksum = 0, warmed = 0;
    std::int64_t start = 0, end = 0;
    auto body = [&] {
        for (std::uint64_t i = 0; i < warm; ++i) boost::this_fiber::yield();
        if (++warmed == fibers) start = bench::now_ns();
        std::uint64_t sum = 0, i = 0;
        for (; i < each; ++i) {
            sum += i;
            boost::this_fiber::yield();
        }
        switches += i;
        checksum += sum;
        end = bench::now_ns();
    };
    boost::fibers::fixedsize_stack stacks(16384);
    std::vector<boost::fibers::fiber> all;
    for (std::uint64_t i = 0; i < fibers; ++i) all.emplace_back(std::allocator_arg, stacks, body);
    for (auto& f : all) f.join();
    bench::print(
        {"switch", "boost-fiber", variant, "ns", double(end - start) / double(switches), switches, checksum});
}
