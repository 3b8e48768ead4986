// SPDX-License-Identifier: ISC
// `spawn` on Boost.Fiber with its pooled stacks: launch and join, one at a time or many at a time.
#include <boost/fiber/all.hpp>

#include <vector>

#include "sample.hpp"

namespace {

std::uint64_t ran = 0, checksum = 0;

void live(boost::fibers::pooled_fixedsize_stack& pool, std::uint64_t work, std::uint64_t at_a_time) {
    std::vector<boost::fibers::fiber> fibers;
    fibers.reserve(at_a_time);
    for (std::uint64_t done = 0; done < work;) {
        const std::uint64_t n = work - done < at_a_time ? work - done : at_a_time;
        for (std::uint64_t i = 0; i < n; ++i)
            fibers.emplace_back(boost::fibers::launch::post, std::allocator_arg, pool,
                                [] { checksum += ran++; });
        for (auto& f : fibers) f.join();
        fibers.clear();
        done += n;
    }
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "one");
    const std::uint64_t work = opts.number("work", 1'000'000), at_a_time = variant == "one" ? 1 : 10'000;
    boost::fibers::pooled_fixedsize_stack pool(16384);
    live(pool, work / 10 + at_a_time, at_a_time);
    ran = checksum = 0;
    const std::int64_t start = bench::now_ns();
    live(pool, work, at_a_time);
    const std::int64_t took = bench::now_ns() - start;
    bench::print({"spawn", "boost-fiber", variant, "ns", double(took) / double(ran), ran, checksum});
}
