// SPDX-License-Identifier: ISC
// `cross-loop`, spinning: two threads on two cores, each polling an eventfd without ever sleeping.
#include <atomic>
#include <cerrno>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

#include "sample.hpp"

namespace {

void signal_fd(int fd) {
    const std::uint64_t one = 1;
    bench::need(write(fd, &one, sizeof one) == sizeof one, "write eventfd");
}

void spin_on(int fd) {
    std::uint64_t value = 0;
    while (read(fd, &value, sizeof value) != sizeof value) bench::need(errno == EAGAIN, "read eventfd");
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 200'000), warm = work / 10;
    const auto cpus = bench::some_cpus(2);
    const int ping = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), pong = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bench::need(ping >= 0 && pong >= 0, "eventfd");
    std::thread other([&] {
        bench::pin_thread(cpus[1]);
        for (std::uint64_t i = 0; i < work + warm; ++i) {
            spin_on(ping);
            signal_fd(pong);
        }
    });
    bench::pin_thread(cpus[0]);
    std::uint64_t done = 0, checksum = 0;
    std::int64_t start = 0;
    for (std::uint64_t i = 0; i < work + warm; ++i) {
        if (i == warm) start = bench::now_ns();
        signal_fd(ping);
        spin_on(pong);
        if (i >= warm) checksum += done++;
    }
    const std::int64_t took = bench::now_ns() - start;
    other.join();
    bench::print({"cross-loop", "eventfd-spin", opts.text("variant", "spinning"), "us",
                  double(took) / double(done) / 1e3, done, checksum});
}
