// SPDX-License-Identifier: ISC
// `switch`: xtc_yield among 2 or 1,000 processes of one loop.
#include <xtc_async.h>

#include "solo.hpp"

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "two");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::uint64_t fibers = variant == "two" ? 2 : 1000, each = work / fibers, warm = each / 10 + 1;

    std::uint64_t switches = 0, checksum = 0, warmed = 0;
    std::int64_t begun = 0, ended = 0;
    auto body = [&] {
        for (std::uint64_t i = 0; i < warm; ++i) xtc_yield();
        if (++warmed == fibers) begun = bench::now_ns();
        std::uint64_t sum = 0, i = 0;
        for (; i < each; ++i) {
            sum += i;
            xtc_yield();
        }
        switches += i;
        checksum += sum;
        ended = bench::now_ns();
    };
    bench::Solo loop;
    for (std::uint64_t i = 0; i < fibers; ++i) bench::start(loop.get(), body);
    loop.run();
    bench::print(
        {"switch", "ours", variant, "ns", double(ended - begun) / double(switches), switches, checksum});
}
