// SPDX-License-Identifier: ISC
// Sleeping and being woken, over every driver.
#include "loop/driver_fixture.hpp"

#include <atomic>
#include <csignal>
#include <thread>

using namespace driver_tests;

namespace {

// Not a loop of yields: a thread that yields for long falls behind all others on a busy machine.
void wait_until_at_least(const std::atomic<uint32_t>& number, uint32_t wanted) {
    for (uint32_t now = 0; (now = number.load(std::memory_order_acquire)) < wanted;) number.wait(now);
}

void publish(std::atomic<uint32_t>& number, uint32_t value) {
    number.store(value, std::memory_order_seq_cst); // weaker ones may pass notify's look for waiters
    number.notify_all();
}

bool is_readable(int fd, int timeout_ms) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, timeout_ms) == 1;
}

} // namespace

TEST_CASE("a wake before the wait ends it at once, and ends one wait only") {
    const Make make = any_driver();
    const bool has_op = GENERATE(false, true);
    CAPTURE(make.name, has_op);
    Driver driver(make);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    if (has_op) driver.submit(op);
    for (int i = 0; i < 3; ++i) {
        for (int wakes = 0; wakes <= i; ++wakes) driver.wake();
        CHECK(driver.wait(XTC_UNTIL_NEVER) == 0); // hangs if it is lost
        const int64_t until = driver.now() + 2'000'000;
        // One early return is allowed: the entry of the wake may still come in.
        driver.wait(until);
        driver.wait(until);
        CHECK(driver.now() >= until);
    }
}

TEST_CASE("a wake from another thread ends a wait in progress", "[threads]") {
    const Make make = any_driver();
    const bool has_op = GENERATE(false, true);
    CAPTURE(make.name, has_op);
    Driver driver(make);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    if (has_op) driver.submit(op);
    for (int i = 0; i < 20; ++i) {
        std::atomic<bool> is_woken{false};
        std::thread waker([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(i * 50));
            is_woken = true;
            driver.wake();
        });
        while (!is_woken) driver.wait(XTC_UNTIL_NEVER);
        waker.join();
    }
    CHECK(driver.in_flight() == size_t{has_op});
}

// Every round: the thread leaves a number and wakes; the loop sleeps for ever unless it sees the number. The
// number is read only after the wait returned, as a loop reads its inbox.
TEST_CASE("O11, O12: of ten thousand wakes from another thread none is lost", "[threads]") {
    const Make make = any_driver();
    const bool has_op = GENERATE(false, true);
    CAPTURE(make.name, has_op);
    Driver driver(make);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    if (has_op) driver.submit(op);
    constexpr uint32_t rounds = 10'000;
    std::atomic<uint32_t> asked{0};
    std::atomic<uint32_t> answered{0};
    std::thread waker([&] {
        for (uint32_t i = 1; i <= rounds; ++i) {
            asked.store(i, std::memory_order_release);
            driver.wake();
            if (i % 3 != 0) wait_until_at_least(answered, i); // else into a loop at any stage
        }
    });
    uint32_t lost = 0;
    uint32_t seen = 0;
    while (seen < rounds) {
        const int64_t until = driver.now() + 2'000'000'000;
        driver.wait(until);
        const uint32_t now_seen = asked.load(std::memory_order_acquire);
        // Slept to the end although there was something to see. (On a busy machine the waker itself may have
        // had nothing to say for so long.)
        lost += driver.now() >= until && now_seen != seen;
        seen = now_seen;
        publish(answered, seen);
    }
    waker.join();
    CHECK(lost == 0);
    CHECK(driver.in_flight() == size_t{has_op});
}

TEST_CASE("wakes from several threads while operations come and go: none is lost", "[threads]") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    constexpr uint32_t rounds = 2'000;
    constexpr uint32_t threads = 3;
    std::atomic<uint32_t> sum{0};
    Pair pair = socket_pair();
    std::vector<std::thread> wakers;
    for (uint32_t t = 0; t < threads; ++t) {
        wakers.emplace_back([&] {
            for (uint32_t i = 0; i < rounds; ++i) {
                sum.fetch_add(1, std::memory_order_release);
                sum.notify_all();
                driver.wake();
            }
        });
    }
    constexpr int64_t bytes = 200; // fits
    std::thread writer([&] {
        for (int64_t i = 0; i < bytes; ++i) {
            if (::send(pair.second, "x", 1, 0) != 1) break;
            wait_until_at_least(sum, static_cast<uint32_t>(i) * 10);
        }
    });
    char buf[64];
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    uint32_t seen = 0;
    int64_t received = 0;
    uint32_t lost = 0;
    while (seen < rounds * threads || received < bytes) {
        const int64_t until = driver.now() + 2'000'000'000;
        const size_t came = driver.wait(until);
        const uint32_t now_seen = sum.load(std::memory_order_acquire);
        lost += driver.now() >= until && came == 0 && now_seen != seen;
        seen = now_seen;
        if (op.is_done) {
            received += op.res;
            op = Op::recv(pair.first, buf, sizeof(buf));
            driver.submit(op);
        }
    }
    writer.join();
    for (std::thread& waker : wakers) waker.join();
    CHECK(lost == 0);
}

TEST_CASE("a wake while suspended ends the first wait on the next thread", "[threads]") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    driver.submit(op);
    driver.wait(driver.now() + 1'000'000);
    driver.suspend();
    driver.wake();
    std::thread([&] {
        driver.wait(XTC_UNTIL_NEVER);
        driver.suspend();
    }).join();
    CHECK(!op.is_done);
}

TEST_CASE("the host's descriptor is readable when a wait would find something, and not otherwise") {
    const Make make = any_driver();
    const bool is_asked_first = GENERATE(true, false);
    CAPTURE(make.name, is_asked_first);
    Driver driver(make);
    Fd silent = event();
    if (!is_asked_first) {
        Op early = Op::poll(silent, POLLIN);
        driver.submit(early);
        driver.poll();
        driver.cancel(early);
        CHECK(driver.finish(early));
    }
    const int fd = driver.pollfd();
    REQUIRE(fd >= 0);
    CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    Pair pair = socket_pair();
    char buf[4] = {};
    const auto comes_to_rest = [&] {
        for (int i = 0; i < 10 && is_readable(fd, 0); ++i) driver.poll();
        return !is_readable(fd, 0);
    };
    for (int round = 0; round < 20; ++round) {
        Op op = Op::recv(pair.first, buf, sizeof(buf));
        driver.submit(op);
        CHECK(driver.poll() == 0);
        CHECK(comes_to_rest());
        CHECK(::write(pair.second, "abc", 3) == 3);
        CHECK(is_readable(fd, 10'000));
        CHECK(driver.poll() == 1);
        CHECK(op.res == 3);
        CHECK(comes_to_rest());
        if (round == 10) driver.suspend();
        driver.wake();
        CHECK(is_readable(fd, 10'000));
        driver.poll();
        CHECK(comes_to_rest());
    }
    CHECK(driver.pollfd() == fd);
}

TEST_CASE(
    "a host that asks for the descriptor again may sleep though operations were started since the wait") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    const int fd = driver.pollfd();
    Pair pair = socket_pair();
    char buf[4] = {};
    for (int round = 0; round < 3; ++round) {
        while (is_readable(fd, 0)) driver.poll();
        Op op = Op::recv(pair.first, buf, sizeof(buf));
        driver.submit(op);
        CHECK(driver.pollfd() == fd);
        CHECK(::write(pair.second, "abc", 3) == 3);
        CHECK(is_readable(fd, 10'000));
        CHECK(driver.finish(op));
        while (is_readable(fd, 0)) driver.poll();

        Op failed = Op::poll(-1, POLLIN);
        driver.submit(failed);
        CHECK(driver.pollfd() == fd);
        CHECK(is_readable(fd, 10'000));
        CHECK(driver.poll() == 1);
        CHECK(failed.res == -EBADF);
        while (is_readable(fd, 0)) driver.poll();

        op = Op::recv(pair.first, buf, sizeof(buf));
        driver.submit(op);
        driver.poll();
        driver.cancel(op);
        CHECK(driver.pollfd() == fd);
        CHECK(is_readable(fd, 10'000));
        CHECK(driver.poll() == 1);
        CHECK(op.res == -ECANCELED);
    }
}

TEST_CASE("a host asleep on the descriptor is woken from another thread, ten thousand times", "[threads]") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    const int fd = driver.pollfd();
    REQUIRE(fd >= 0);
    constexpr uint32_t rounds = 10'000;
    std::atomic<uint32_t> asked{0};
    std::atomic<uint32_t> answered{0};
    std::thread waker([&] {
        for (uint32_t i = 1; i <= rounds; ++i) {
            asked.store(i, std::memory_order_release);
            driver.wake();
            if (i % 2 == 0) wait_until_at_least(answered, i);
        }
    });
    uint32_t lost = 0;
    for (uint32_t seen = 0; seen < rounds;) {
        const bool is_late = !is_readable(fd, 2'000);
        driver.poll();
        const uint32_t now_seen = asked.load(std::memory_order_acquire);
        lost += is_late && now_seen != seen;
        seen = now_seen;
        publish(answered, seen);
    }
    waker.join();
    CHECK(lost == 0);
}

// The kernel signals a thread itself, for what is left of a ring that it closed.
TEST_CASE("signals do not end the sleep of an epoll set before its time", "[threads]") {
    struct sigaction handle {};
    struct sigaction before {};
    handle.sa_handler = [](int) {};
    REQUIRE(::sigaction(SIGUSR1, &handle, &before) == 0);
    Driver driver(all_drivers[1]);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    driver.submit(op);
    std::atomic<bool> is_over{false};
    const pthread_t sleeper = ::pthread_self();
    std::thread signaller([&] {
        while (!is_over) {
            ::pthread_kill(sleeper, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    });
    for (int i = 0; i < 5; ++i) {
        const int64_t until = driver.now() + 5'000'000;
        CHECK(driver.wait(until) == 0);
        CHECK(driver.now() >= until);
    }
    is_over = true;
    signaller.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    CHECK(driver.in_flight() == 1);
}
