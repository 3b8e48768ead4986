// SPDX-License-Identifier: ISC
// `batch-wake` with nothing but the kernel: a thread asleep on a futex, or one that spins on a non-blocking
// eventfd.
#include <atomic>
#include <thread>

#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sample.hpp"
#include "wake_pace.hpp"

namespace {

std::atomic<std::uint32_t> rung{0};

void sleep_until_rung(std::uint32_t seen) {
    while (rung.load(std::memory_order_acquire) == seen)
        syscall(SYS_futex, &rung, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void ring() {
    rung.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &rung, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "parked");
    const std::uint64_t work = opts.number("work", 20'000);
    const bool spins = variant == "spinning";
    const auto cpus = bench::some_cpus(2);
    const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bench::Pace pace(spins, work);
    std::atomic<bool> is_over{false};
    std::thread sleeper([&] {
        bench::pin_thread(cpus[0]);
        for (std::uint32_t seen = 0; !is_over.load(std::memory_order_acquire); ++seen) {
            eventfd_t value;
            if (spins)
                while (eventfd_read(fd, &value) != 0 && !is_over.load(std::memory_order_acquire)) continue;
            else
                sleep_until_rung(seen);
            pace.arrived();
        }
    });
    bench::pin_thread(cpus[1]);
    pace.run([&] { spins ? static_cast<void>(eventfd_write(fd, 1)) : ring(); });
    is_over = true;
    ring();
    sleeper.join();
    close(fd);
    pace.print("batch-wake", spins ? "eventfd-spin" : "futex", variant);
}
