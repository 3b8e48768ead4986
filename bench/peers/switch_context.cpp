// SPDX-License-Identifier: ISC
// The floor of `switch`: Boost.Context's jump round a ring of contexts, with no scheduler.
#include <boost/context/detail/fcontext.hpp>

#include <memory>
#include <vector>

#include "sample.hpp"

namespace {

namespace ctx = boost::context::detail;

struct Ring {
    std::vector<ctx::fcontext_t> at;
    std::vector<std::uint64_t> laps;
    std::uint64_t left = 0, checksum = 0;
    ctx::fcontext_t main = nullptr;
};
Ring ring;

// Whoever is jumped to stores where the jumper stopped: the jumper cannot know it itself.
void keep(ctx::transfer_t from) {
    *static_cast<ctx::fcontext_t*>(from.data) = from.fctx;
}

struct Seat {
    std::size_t mine, next;
};
std::vector<Seat> seats;

void body(ctx::transfer_t from) {
    static std::size_t starting = 0;
    const Seat seat = seats[starting++];
    keep(from);
    keep(ctx::jump_fcontext(ring.main, &ring.at[seat.mine]));
    for (;;) {
        while (ring.left == 0) keep(ctx::jump_fcontext(ring.main, &ring.at[seat.mine]));
        --ring.left;
        ring.checksum += ring.laps[seat.mine]++;
        keep(ctx::jump_fcontext(ring.at[seat.next], &ring.at[seat.mine]));
    }
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "two");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::size_t fibers = variant == "two" ? 2 : 1000, stack = 16384;

    std::vector<std::unique_ptr<char[]>> stacks;
    ring.at.resize(fibers);
    for (std::size_t i = 0; i < fibers; ++i) seats.push_back({i, (i + 1) % fibers});
    for (std::size_t i = 0; i < fibers; ++i) {
        stacks.push_back(std::make_unique<char[]>(stack));
        ring.at[i] = ctx::make_fcontext(stacks.back().get() + stack, stack, body);
        keep(ctx::jump_fcontext(ring.at[i], &ring.main));
    }
    for (const bool warm : {true, false}) {
        const std::uint64_t count = warm ? work / 10 : work;
        ring.left = count;
        ring.checksum = 0;
        ring.laps.assign(fibers, 0);
        const std::int64_t start = bench::now_ns();
        keep(ctx::jump_fcontext(ring.at[0], &ring.main));
        const std::int64_t took = bench::now_ns() - start;
        if (!warm)
            bench::print(
                {"switch", "boost-context", variant, "ns", double(took) / double(work), work, ring.checksum});
    }
}
