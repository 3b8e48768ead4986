// SPDX-License-Identifier: ISC
// `spawn`: processes that run and end, one at a time or 10,000 at a time.
#include <xtc_async.h>

#include "solo.hpp"

namespace {

std::uint64_t ran = 0, checksum = 0;

void life(void*) {
    checksum += ran++;
}

void live(xtc_loop_t* loop, std::uint64_t work, std::uint64_t at_a_time) {
    const std::uint64_t end = ran + work;
    while (ran < end) {
        const std::uint64_t n = end - ran < at_a_time ? end - ran : at_a_time, until = ran + n;
        for (std::uint64_t i = 0; i < n; ++i)
            bench::ok(xtc_proc_spawn(loop, life, nullptr, nullptr, nullptr), "xtc_proc_spawn");
        while (ran < until) xtc_yield();
    }
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "one");
    const std::uint64_t work = opts.number("work", 1'000'000), at_a_time = variant == "one" ? 1 : 10'000;
    std::int64_t took = 0;
    bench::Solo loop;
    auto driver = [&] {
        live(loop.get(), work / 10 + at_a_time, at_a_time);
        ran = checksum = 0;
        const std::int64_t begun = bench::now_ns();
        live(loop.get(), work, at_a_time);
        took = bench::now_ns() - begun;
    };
    bench::start(loop.get(), driver);
    loop.run();
    bench::print({"spawn", "ours", variant, "ns", double(took) / double(ran), ran, checksum});
}
