// SPDX-License-Identifier: ISC
// `fences`: a process parked on each of many eventfds. `one`: each that fires sets off the next, chosen far
// away. `all`: the last of a round sets off all of them.
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include <xtc_accel.h>

#include "solo.hpp"

namespace {

struct Bench {
    bool one = true;
    std::uint64_t fences = 0, warm = 0, total = 0, stride = 0;
    std::uint64_t seen = 0, done = 0, checksum = 0;
    std::int64_t begun = 0, ended = 0;
    std::vector<int> fds;
    bench::Solo loop;

    void fire(std::uint64_t i) {
        const std::uint64_t one_more = 1;
        bench::need(write(fds[i], &one_more, sizeof one_more) == sizeof one_more, "write eventfd");
    }
    void fire_all() {
        for (std::uint64_t i = 0; i < fences; ++i) fire(i);
    }
    void fired(std::uint64_t i) {
        std::uint64_t value = 0;
        bench::need(read(fds[i], &value, sizeof value) == sizeof value, "read eventfd");
        if (seen == total) return;
        if (++seen > warm) {
            ++done;
            checksum += i;
        }
        if (seen == warm) begun = bench::now_ns();
        if (seen == total) {
            ended = bench::now_ns();
            loop.stop();
        } else if (one) {
            fire((i + stride) % fences);
        } else if (seen % fences == 0) {
            fire_all();
        }
    }
};

struct Waiter {
    Bench* bench;
    std::uint64_t i;
    void operator()() {
        for (;;) {
            bench::ok(xtc_accel_wait_fence(bench->fds[i], -1), "xtc_accel_wait_fence");
            bench->fired(i);
        }
    }
};

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "one");
    const std::uint64_t work = opts.number("work", 100'000);
    Bench b;
    b.one = variant == "one";
    b.fences = opts.number("fences", 10'000);
    b.warm = b.one ? work / 10 : b.fences;
    b.total = b.warm + work;
    b.stride = b.fences / 3 | 1;
    bench::need_descriptors(b.fences + 64);

    std::vector<Waiter> waiters;
    waiters.reserve(b.fences);
    for (std::uint64_t i = 0; i < b.fences; ++i) {
        b.fds.push_back(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        bench::need(b.fds.back() >= 0, "eventfd");
        waiters.push_back({&b, i});
        bench::start(b.loop.get(), waiters.back());
    }
    // Started last, so it runs when the others wait.
    auto starter = [&] { b.one ? b.fire(0) : b.fire_all(); };
    bench::start(b.loop.get(), starter);
    b.loop.run();
    bench::print(
        {"fences", "ours", variant, "ns", double(b.ended - b.begun) / double(b.done), b.done, b.checksum});
}
