// SPDX-License-Identifier: ISC
// Sleeping and being woken, over every driver.
#include "loop/driver_fixture.hpp"

#include <atomic>
#include <thread>

using namespace driver_tests;

namespace {

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
            if (i % 3 != 0) { // every third is sent without waiting, into a loop at any stage
                while (answered.load(std::memory_order_acquire) < i) std::this_thread::yield();
            }
        }
    });
    int64_t longest = 0;
    uint32_t seen = 0;
    while (seen < rounds) {
        const int64_t begin = driver.now();
        driver.wait(begin + 5'000'000'000);
        longest = std::max(longest, driver.now() - begin);
        seen = asked.load(std::memory_order_acquire);
        answered.store(seen, std::memory_order_release);
    }
    waker.join();
    CHECK(longest < 4'000'000'000); // no wait ran to its end
    CHECK(driver.in_flight() == size_t{has_op});
}

TEST_CASE("wakes from several threads while operations come and go: none is lost", "[threads]") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    constexpr uint32_t rounds = 2'000;
    constexpr uint32_t threads = 3;
    std::atomic<uint32_t> sum{0};
    std::atomic<bool> is_stopping{false};
    Pair pair = socket_pair();
    std::vector<std::thread> wakers;
    for (uint32_t t = 0; t < threads; ++t) {
        wakers.emplace_back([&] {
            for (uint32_t i = 0; i < rounds; ++i) {
                sum.fetch_add(1, std::memory_order_release);
                driver.wake();
            }
        });
    }
    std::thread writer([&] {
        while (!is_stopping.load(std::memory_order_acquire)) {
            if (::send(pair.second, "x", 1, MSG_DONTWAIT) < 0) std::this_thread::yield();
        }
    });
    char buf[64];
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    uint32_t seen = 0;
    uint32_t received = 0;
    bool is_late = false;
    while (seen < rounds * threads || received < 100) {
        const int64_t begin = driver.now();
        driver.wait(begin + 5'000'000'000);
        is_late = is_late || driver.now() - begin > 4'000'000'000;
        seen = sum.load(std::memory_order_acquire);
        if (op.is_done) {
            received += op.res > 0;
            op = Op::recv(pair.first, buf, sizeof(buf));
            driver.submit(op);
        }
    }
    is_stopping = true;
    writer.join();
    for (std::thread& waker : wakers) waker.join();
    CHECK(!is_late);
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
            while (i % 2 == 0 && answered.load(std::memory_order_acquire) < i) std::this_thread::yield();
        }
    });
    bool is_late = false;
    for (uint32_t seen = 0; seen < rounds;) {
        is_late = is_late || !is_readable(fd, 5'000);
        driver.poll();
        seen = asked.load(std::memory_order_acquire);
        answered.store(seen, std::memory_order_release);
    }
    waker.join();
    CHECK(!is_late);
}
