// SPDX-License-Identifier: ISC
// `cross-loop` with nothing but futexes: two threads on two cores hand a turn to and fro and sleep between.
#include <atomic>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sample.hpp"

namespace {

struct alignas(64) Turn {
    std::atomic<std::uint32_t> word{0};

    void pass(std::uint32_t value) {
        word.store(value, std::memory_order_release);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
    void await(std::uint32_t value) {
        for (std::uint32_t seen; (seen = word.load(std::memory_order_acquire)) != value;)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    }
};

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 20'000), warm = work / 10;
    const auto cpus = bench::some_cpus(2);
    Turn ping, pong;
    const auto last = static_cast<std::uint32_t>(work + warm);
    std::thread other([&] {
        bench::pin_thread(cpus[1]);
        for (std::uint32_t i = 1; i <= last; ++i) {
            ping.await(i);
            pong.pass(i);
        }
    });
    bench::pin_thread(cpus[0]);
    std::uint64_t done = 0, checksum = 0;
    std::int64_t start = 0;
    for (std::uint32_t i = 1; i <= last; ++i) {
        if (i == warm + 1) start = bench::now_ns();
        ping.pass(i);
        pong.await(i);
        if (i > warm) checksum += done++;
    }
    const std::int64_t took = bench::now_ns() - start;
    other.join();
    bench::print({"cross-loop", "futex", opts.text("variant", "parked"), "us",
                  double(took) / double(done) / 1e3, done, checksum});
}
