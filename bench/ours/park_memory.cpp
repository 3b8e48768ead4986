// SPDX-License-Identifier: ISC
// `park-memory`: processes with default stacks and guards, each parked in xtc_recv; all that they made
// resident, tables of the library included, over their number.
#include <xtc_async.h>

#include "solo.hpp"

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 100'000);
    std::uint64_t parked = 0, checksum = 0;
    double resident = 0, tables = 0;
    bench::Solo loop;
    auto member = [&] {
        checksum += parked++;
        void* message = nullptr;
        std::size_t size = 0;
        xtc_recv(&message, &size, -1);
    };
    auto driver = [&] {
        const std::uint64_t rss = bench::memory_field("VmRSS"), pte = bench::memory_field("VmPTE");
        for (std::uint64_t i = 0; i < work; ++i) bench::start(loop.get(), member);
        while (parked < work) xtc_yield();
        resident = double(bench::memory_field("VmRSS") - rss) / double(work);
        tables = double(bench::memory_field("VmPTE") - pte) / double(work);
        loop.stop();
    };
    bench::start(loop.get(), driver);
    loop.run();
    bench::print({"park-memory",
                  "ours",
                  opts.text("variant", "100k"),
                  "bytes",
                  resident,
                  parked,
                  checksum,
                  {{"page_table_bytes", tables}}});
}
