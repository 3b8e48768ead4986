// SPDX-License-Identifier: ISC
// `cross-loop` on two bare rings that sleep, woken in one of three ways: an eventfd that the ring polls,
// a message to the ring by IORING_REGISTER_SEND_MSG_RING, a futex that the ring waits on.
#include <atomic>
#include <thread>

#include <linux/futex.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring.hpp"

namespace {

constexpr unsigned register_send_msg_ring = 31; // newer than Debian's headers
constexpr int op_futex_wait = 51, futex2_private_u32 = 2 | 128;

enum class Wake { eventfd, msg_ring, futex };

// One side's bell. The owner arms it and sleeps; the other side rings it.
class Bell {
public:
    explicit Bell(Wake how) : how_(how) {
        if (how_ == Wake::eventfd)
            bench::need((fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) >= 0, "eventfd");
    }
    void own(bench::Ring& ring) {
        ring_ = &ring;
        ring_fd.store(ring.raw.ring_fd, std::memory_order_release);
    }

    void press(std::uint32_t turn) {
        const std::uint64_t one = 1;
        switch (how_) {
        case Wake::eventfd:
            bench::need(write(fd_, &one, sizeof one) == sizeof one, "write eventfd");
            break;
        case Wake::msg_ring: {
            io_uring_sqe sqe{};
            io_uring_prep_msg_ring(&sqe, ring_fd.load(std::memory_order_acquire), 0, turn, 0);
            const long rc = syscall(SYS_io_uring_register, -1, register_send_msg_ring, &sqe, 1);
            bench::need(rc >= 0, "IORING_REGISTER_SEND_MSG_RING");
            break;
        }
        case Wake::futex:
            word_.store(turn, std::memory_order_release);
            syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
            break;
        }
    }

    void await(std::uint32_t turn) {
        bool rung = false;
        while (!rung) {
            if (how_ == Wake::eventfd) {
                io_uring_prep_poll_add(ring_->sqe(), fd_, POLLIN);
            } else if (how_ == Wake::futex) {
                const std::uint32_t seen = word_.load(std::memory_order_acquire);
                if (seen == turn) return;
                arm_futex(seen);
            }
            ring_->turn([&](io_uring_cqe* cqe) {
                if (how_ == Wake::msg_ring) rung = cqe->user_data == turn;
            });
            if (how_ == Wake::eventfd) {
                std::uint64_t value = 0;
                rung = read(fd_, &value, sizeof value) == sizeof value;
            }
        }
    }

    std::atomic<int> ring_fd{-1};

private:
    void arm_futex(std::uint32_t seen) {
        io_uring_sqe* sqe = ring_->sqe();
        io_uring_prep_rw(op_futex_wait, sqe, futex2_private_u32, &word_, 0, seen);
        sqe->addr3 = FUTEX_BITSET_MATCH_ANY;
    }

    Wake how_;
    int fd_ = -1;
    bench::Ring* ring_ = nullptr;
    alignas(64) std::atomic<std::uint32_t> word_{0};
};

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string by = opts.text("by", "eventfd");
    const Wake how = by == "eventfd" ? Wake::eventfd : by == "msg-ring" ? Wake::msg_ring : Wake::futex;
    const std::uint64_t work = opts.number("work", 20'000), warm = work / 10;
    const auto last = static_cast<std::uint32_t>(work + warm);
    const auto cpus = bench::some_cpus(2);

    Bell ping(how), pong(how);
    std::thread other([&] {
        bench::pin_thread(cpus[1]);
        bench::Ring ring(8);
        ping.own(ring);
        for (std::uint32_t i = 1; i <= last; ++i) {
            ping.await(i);
            pong.press(i);
        }
    });
    bench::pin_thread(cpus[0]);
    bench::Ring ring(8);
    pong.own(ring);
    while (ping.ring_fd.load(std::memory_order_acquire) < 0) std::this_thread::yield();

    std::uint64_t done = 0, checksum = 0;
    std::int64_t start = 0;
    for (std::uint32_t i = 1; i <= last; ++i) {
        if (i == warm + 1) start = bench::now_ns();
        ping.press(i);
        pong.await(i);
        if (i > warm) checksum += done++;
    }
    const std::int64_t took = bench::now_ns() - start;
    other.join();
    bench::print({"cross-loop", "uring-" + by, opts.text("variant", "parked"), "us",
                  double(took) / double(done) / 1e3, done, checksum});
}
