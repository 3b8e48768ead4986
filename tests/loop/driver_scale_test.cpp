// SPDX-License-Identifier: ISC
// Many operations at once, and rings much smaller than what is asked of them.
#include "loop/driver_fixture.hpp"

#include <deque>
#include <sys/resource.h>

using namespace driver_tests;

namespace {

// The rings of the table, and two that are far too small.
Make any_small_driver() {
    auto makes = all_drivers;
    makes.push_back({"uring with 64 entries", true, {64}});
    makes.push_back({"uring with 4 entries", true, {4}});
    makes.push_back({"uring of Linux 5.11 with 4 entries", true, {4, 3, false}});
    return GENERATE_COPY(from_range(makes.begin(), makes.end()));
}

void raise_fd_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

size_t finish_all(Driver& driver, size_t wanted) {
    const int64_t limit = driver.now() + 10'000'000'000;
    size_t n = 0;
    while (n < wanted && driver.now() < limit) n += driver.wait(limit);
    return n;
}

} // namespace

TEST_CASE("O10: three thousand operations cancelled at once all come back") {
    const Make make = any_small_driver();
    CAPTURE(make.name);
    raise_fd_limit();
    Driver driver(make);
    constexpr size_t count = 3000;
    std::deque<Pair> pairs;
    std::deque<Op> ops;
    std::vector<char> buf(count);
    for (size_t i = 0; i < count; ++i) {
        pairs.push_back(socket_pair());
        ops.push_back(Op::recv(pairs.back().first, &buf[i], 1));
        driver.submit(ops.back());
        if (i % 700 == 0) driver.poll();
    }
    CHECK(driver.poll() == 0);
    for (Op& op : ops) driver.cancel(op);
    CHECK(finish_all(driver, count) == count);
    CHECK(std::count_if(ops.begin(), ops.end(), [](const Op& op) { return op.res == -ECANCELED; }) == count);
}

TEST_CASE("O11: completions far beyond the queue are all delivered, and the driver hears wakes afterwards") {
    const Make make = any_small_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd fd = event();
    const size_t count = make.is_ring ? make.kernel.entries * 8 * 4 : 4000; // four times the completion queue
    std::deque<Op> ops(count);
    for (int round = 0; round < 2; ++round) {
        for (Op& op : ops) {
            op = Op::poll(fd, POLLIN);
            driver.submit(op);
        }
        CHECK(driver.poll() == 0);
        signal_event(fd);
        // The second time without ever sleeping: looks alone must find all.
        size_t found = 0;
        for (size_t looks = 0; round == 1 && looks < count && found < count; ++looks) found += driver.poll();
        if (round == 0) found = finish_all(driver, count);
        CHECK(found == count);
        CHECK(std::count_if(ops.begin(), ops.end(), [](const Op& op) { return op.res == POLLIN; }) ==
              static_cast<long>(count));
        uint64_t drained = 0;
        CHECK(::read(fd, &drained, sizeof(drained)) == sizeof(drained));
        driver.wake();
        CHECK(driver.wait(XTC_UNTIL_NEVER) == 0);
    }
}

TEST_CASE("operations ready at once, many more than the ring holds, are started by one wait") {
    const Make make = any_small_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd fd = event(1);
    std::deque<Op> ops(2000);
    for (Op& op : ops) {
        op = Op::poll(fd, POLLIN);
        driver.submit(op);
    }
    CHECK(finish_all(driver, ops.size()) == ops.size());
}

TEST_CASE("cancels, results and new operations mixed at random: each comes back once") {
    const Make make = any_small_driver();
    CAPTURE(make.name);
    Driver driver(make);
    constexpr size_t count = 200;
    std::deque<Pair> pairs;
    for (size_t i = 0; i < count; ++i) pairs.push_back(socket_pair());
    std::deque<Op> ops(count);
    std::vector<char> buf(count);
    uint64_t state = 1;
    const auto random = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(state >> 33);
    };
    size_t sent = 0;
    size_t received = 0;
    for (size_t i = 0; i < count; ++i) {
        ops[i] = Op::recv(pairs[i].first, &buf[i], 1);
        driver.submit(ops[i]);
    }
    for (int step = 0; step < 20'000; ++step) {
        const size_t i = random() % count;
        switch (random() % 8) {
        case 0:
            if (!ops[i].is_done) driver.cancel(ops[i]);
            break;
        case 1:
            if (::send(pairs[i].second, "x", 1, MSG_DONTWAIT) == 1) ++sent;
            break;
        case 2:
            if (random() % 200 == 0) driver.suspend();
            break;
        case 3:
            driver.poll();
            break;
        default:
            if (!ops[i].is_done) break;
            received += ops[i].res == 1;
            if (ops[i].res != 1 && ops[i].res != -ECANCELED) FAIL("ended with " << ops[i].res);
            ops[i] = Op::recv(pairs[i].first, &buf[i], 1);
            driver.submit(ops[i]);
        }
    }
    for (Op& op : ops)
        if (!op.is_done) driver.cancel(op);
    while (driver.in_flight() != 0) driver.wait(XTC_UNTIL_NEVER);
    for (size_t i = 0; i < count; ++i) {
        received += ops[i].res == 1;
        while (::recv(pairs[i].first, &buf[i], 1, MSG_DONTWAIT) == 1) ++received;
    }
    CHECK(received == sent);
}
