// SPDX-License-Identifier: ISC
// `fences` on a bare ring: eventfds under one-shot polls. `one`: each that fires sets off the next, chosen
// far away. `all`: the last of a round sets off all of them.
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ring.hpp"

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "one");
    const std::uint64_t work = opts.number("work", 100'000), fences = opts.number("fences", 10'000);
    bench::need_descriptors(fences + 64);

    std::vector<int> fds;
    for (std::uint64_t i = 0; i < fences; ++i) {
        fds.push_back(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        bench::need(fds.back() >= 0, "eventfd");
    }
    bench::Ring ring(4096);
    auto arm = [&](std::uint64_t i) {
        io_uring_sqe* sqe = ring.sqe();
        io_uring_prep_poll_add(sqe, fds[i], POLLIN);
        sqe->user_data = i;
    };
    auto fire = [&](std::uint64_t i) {
        const std::uint64_t one = 1;
        bench::need(write(fds[i], &one, sizeof one) == sizeof one, "write eventfd");
    };
    for (std::uint64_t i = 0; i < fences; ++i) arm(i);

    const bool one = variant == "one";
    const std::uint64_t warm = one ? work / 10 : fences, total = warm + work, stride = fences / 3 | 1;
    std::uint64_t seen = 0, done = 0, checksum = 0;
    std::int64_t start = bench::now_ns();
    auto fire_all = [&] {
        for (std::uint64_t i = 0; i < fences; ++i) fire(i);
    };
    if (one) {
        fire(0);
    } else {
        fire_all();
    }
    while (seen < total)
        ring.turn([&](io_uring_cqe* cqe) {
            const std::uint64_t i = cqe->user_data;
            std::uint64_t value = 0;
            bench::need(read(fds[i], &value, sizeof value) == sizeof value, "read eventfd");
            if (++seen > warm) {
                ++done;
                checksum += i;
            }
            if (seen == warm) start = bench::now_ns();
            if (seen < total) {
                if (one) fire((i + stride) % fences);
                if (!one && seen % fences == 0) fire_all();
            }
            arm(i);
        });
    const std::int64_t took = bench::now_ns() - start;
    bench::print({"fences", "bare-uring", variant, "ns", double(took) / double(done), done, checksum});
}
