// SPDX-License-Identifier: ISC
//
// The table, as a loop would use it, without a loop.
#include "sim_driver.hpp"

#include <catch2/catch.hpp>

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <vector>

using namespace xtc::sim;

namespace {

struct Bench {
    Knobs knobs;
    Timeline timeline{1000};
    Streams streams{1};
    Trace trace;
    VirtualFds fds{timeline, streams, trace, knobs};
    SimDriver driver{0, timeline, streams, trace, knobs, fds};
    SimDriver other{1, timeline, streams, trace, knobs, fds};
    const xtc_seam_driver_t& table = SimDriver::table;

    Bench() {
        knobs.io_latency = {0, 0};
        pace(true);
    }
    void pace(bool paced) {
        driver.set_paced(paced);
        other.set_paced(paced);
    }
    void pass(int64_t ns) {
        timeline.advance(ns);
        timeline.run_due();
    }

    std::vector<xtc_op_t*> wait(int64_t until = XTC_UNTIL_POLL) { return wait_on(driver, until); }
    std::vector<xtc_op_t*> wait_on(SimDriver& on, int64_t until = XTC_UNTIL_POLL) {
        std::vector<xtc_op_t*> done;
        for (xtc_op_t* op = table.wait(&on, until); op != nullptr; op = op->next) done.push_back(op);
        return done;
    }
    void submit(xtc_op_t& op) { table.submit(&driver, &op); }
};

xtc_op_t op_of(xtc_op_kind_t kind, int fd) {
    xtc_op_t op{};
    op.kind = static_cast<uint8_t>(kind);
    op.fd = fd;
    op.res = 12345;
    return op;
}

xtc_op_t poll_of(int fd, uint32_t events = POLLIN) {
    xtc_op_t op = op_of(XTC_OP_POLL, fd);
    op.events = events;
    return op;
}

xtc_op_t transfer_of(xtc_op_kind_t kind, int fd, void* buf, size_t len) {
    xtc_op_t op = op_of(kind, fd);
    op.buf = buf;
    op.len = len;
    return op;
}

} // namespace

TEST_CASE("sim driver: the table is whole and says its size") {
    CHECK(SimDriver::table.size == sizeof(xtc_seam_driver_t));
    CHECK(std::string(SimDriver::table.name) == "sim");
    CHECK(SimDriver::table.pollfd(nullptr) == -1);
}

TEST_CASE("sim driver: the clock is the world's and stands still") {
    Bench bench;
    CHECK(bench.table.now(&bench.driver) == 1000);
    CHECK(bench.table.now(&bench.driver) == 1000);
    bench.timeline.advance(7);
    CHECK(bench.table.now(&bench.other) == 1007);
}

TEST_CASE("sim driver: a poll ends when a signal of interest comes, after its delay") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    CHECK(bench.wait().empty());
    CHECK(bench.fds.show(fd, POLLOUT, 0)); // not asked for
    CHECK(bench.wait().empty());
    CHECK(bench.fds.show(fd, POLLIN, 500));
    CHECK(bench.wait().empty());
    bench.pass(500);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
    CHECK(op.res == POLLIN);
    CHECK(bench.driver.in_flight() == 0);
}

TEST_CASE("sim driver: errors and hang-ups end a poll that did not ask for them") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.fds.show(fd, POLLERR | POLLHUP, 0);
    CHECK(bench.wait().size() == 1);
    CHECK(op.res == (POLLERR | POLLHUP));
}

TEST_CASE("sim driver: readiness is a level until it is cleared") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    bench.fds.show(fd, POLLIN, 0);
    xtc_op_t first = poll_of(fd), second = poll_of(fd), third = poll_of(fd);
    bench.submit(first);
    CHECK(bench.wait().size() == 1);
    CHECK(bench.table.try_op(&bench.driver, &second) == 1);
    CHECK(second.res == POLLIN);
    CHECK(bench.fds.clear(fd, POLLIN));
    CHECK(bench.table.try_op(&bench.driver, &third) == 0);
    CHECK(third.res == 12345);
}

TEST_CASE("sim driver: every waiter on a signal is served") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t a = poll_of(fd), b = poll_of(fd), c = poll_of(fd);
    bench.submit(a);
    bench.table.submit(&bench.other, &b);
    bench.submit(c);
    bench.fds.show(fd, POLLIN, 0);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&a, &c});
    CHECK(bench.wait_on(bench.other) == std::vector<xtc_op_t*>{&b});
}

TEST_CASE("sim driver: an unknown number is EINVAL, through wait like every result") {
    Bench bench;
    for (const int fd : {-1, 0, 5, VirtualFds::first_number, VirtualFds::first_number + 77}) {
        xtc_op_t op = poll_of(fd);
        bench.submit(op);
        CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
        CHECK(op.res == -EINVAL);
        CHECK(bench.table.try_op(&bench.driver, &op) == 1);
        CHECK(op.res == -EINVAL);
    }
}

TEST_CASE("sim driver: a cancelled operation arrives once, as cancelled") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.table.cancel(&bench.driver, &op);
    bench.fds.show(fd, POLLIN, 0); // too late
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
    CHECK(op.res == -ECANCELED);
    CHECK(bench.wait().empty());
    CHECK(bench.driver.in_flight() == 0);
}

TEST_CASE("sim driver: a cancel that comes after the result changes nothing") {
    Bench bench;
    bench.knobs.io_latency = {100, 100};
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.fds.show(fd, POLLIN, 0);
    bench.table.cancel(&bench.driver, &op); // the result is under way
    bench.table.cancel(&bench.driver, &op);
    CHECK(bench.wait().empty());
    bench.pass(100);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
    CHECK(op.res == POLLIN);
}

TEST_CASE("sim driver: close_fd ends the operations of every loop and frees the number") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t ours = poll_of(fd), theirs = poll_of(fd), after = poll_of(fd);
    bench.submit(ours);
    bench.table.submit(&bench.other, &theirs);
    bench.table.close_fd(&bench.driver, fd);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&ours});
    CHECK(ours.res == -ECONNABORTED);
    CHECK(bench.wait_on(bench.other) == std::vector<xtc_op_t*>{&theirs});
    CHECK(theirs.res == -ECONNABORTED);
    bench.submit(after);
    bench.wait();
    CHECK(after.res == -EINVAL);
}

TEST_CASE("sim driver: abort_fd ends the operations and leaves the descriptor open") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd), again = poll_of(fd);
    bench.submit(op);
    bench.table.abort_fd(&bench.driver, fd);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
    CHECK(op.res == -ECONNABORTED);
    bench.submit(again);
    bench.fds.show(fd, POLLIN, 0);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&again});
    CHECK(again.res == POLLIN);
}

TEST_CASE("sim driver: close(2) does not end a wait, and the number is at once another's") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.fds.show(fd, POLLIN, 50); // under way when it is closed
    CHECK(bench.fds.close(fd));
    CHECK_FALSE(bench.fds.close(fd));
    CHECK_FALSE(bench.fds.show(fd, POLLIN, 0));
    CHECK(bench.fds.create_signal() == fd);
    bench.fds.show(fd, POLLIN, 0);
    bench.pass(100);
    CHECK(bench.wait().empty());
    bench.table.cancel(&bench.driver, &op);
    CHECK(bench.wait().size() == 1);
    CHECK(op.res == -ECANCELED);
}

TEST_CASE("sim driver: a wake ends one wait, also one that has not begun") {
    Bench bench;
    bench.table.wake(&bench.driver);
    CHECK(bench.driver.awake());
    bench.table.wait(&bench.driver, XTC_UNTIL_NEVER);
    CHECK(bench.timeline.now() == 1000);
    CHECK_FALSE(bench.driver.awake());
}

TEST_CASE("sim driver: outside a run a wait with a deadline moves the clock there and no further") {
    Bench bench;
    bench.pace(false);
    CHECK(bench.wait(1500).empty());
    CHECK(bench.timeline.now() == 1500);
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.fds.show(fd, POLLIN, 100);
    CHECK(bench.wait(9000) == std::vector<xtc_op_t*>{&op});
    CHECK(bench.timeline.now() == 1600);
}

TEST_CASE("sim driver: a wait without end and without anything to come returns") {
    Bench bench;
    bench.pace(false);
    CHECK(bench.wait(XTC_UNTIL_NEVER).empty());
    CHECK(bench.timeline.now() == 1000);
}

TEST_CASE("sim driver: in a run a wait moves nothing, whatever its deadline") {
    Bench bench;
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.fds.show(fd, POLLIN, 100);
    CHECK(bench.wait(XTC_UNTIL_NEVER).empty());
    CHECK(bench.timeline.now() == 1000);
}

TEST_CASE("sim driver: a loop that is taken down outside a run gets its cancelled operations by polling") {
    Bench bench;
    bench.knobs.io_latency = {500, 500};
    const int fd = bench.fds.create_signal();
    xtc_op_t op = poll_of(fd);
    bench.submit(op);
    bench.table.cancel(&bench.driver, &op);
    CHECK(bench.wait().empty());
    bench.pace(false);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&op});
    CHECK(op.res == -ECANCELED);
}

TEST_CASE("sim driver: a part of what is done may be held back, and nothing is lost or reordered") {
    Bench bench;
    bench.knobs.hold_back = {1, 2};
    const int fd = bench.fds.create_signal();
    std::vector<xtc_op_t> ops(50, poll_of(fd));
    for (xtc_op_t& op : ops) bench.submit(op);
    bench.fds.show(fd, POLLIN, 0);
    std::vector<xtc_op_t*> got;
    int waits = 0;
    while (bench.driver.awake()) {
        for (xtc_op_t* op : bench.wait()) got.push_back(op);
        waits++;
    }
    CHECK(waits > 1);
    REQUIRE(got.size() == ops.size());
    for (size_t i = 0; i < ops.size(); i++) CHECK(got[i] == &ops[i]);
}

TEST_CASE("sim driver: bytes arrive in order, whole, after their delay") {
    Bench bench;
    bench.knobs.io_latency = {10, 1000};
    bench.knobs.short_io = {1, 2};
    const auto [a, b] = bench.fds.create_pair(64);
    std::string sent, received;
    for (int i = 0; i < 300; i++) sent += static_cast<char>('a' + i % 26);
    size_t gone = 0;
    char buf[40];
    for (int rounds = 0; received.size() < sent.size() && rounds < 10'000; rounds++) {
        xtc_op_t out = transfer_of(XTC_OP_SEND, a, sent.data() + gone, sent.size() - gone);
        if (gone < sent.size() && bench.table.try_op(&bench.driver, &out) == 1)
            gone += static_cast<size_t>(out.res);
        xtc_op_t in = transfer_of(XTC_OP_RECV, b, buf, sizeof buf);
        if (bench.table.try_op(&bench.other, &in) == 1) received.append(buf, static_cast<size_t>(in.res));
        bench.timeline.advance(100);
        bench.timeline.run_due();
    }
    CHECK(received == sent);
}

TEST_CASE("sim driver: a full stream makes a send wait until the reader makes room") {
    Bench bench;
    const auto [a, b] = bench.fds.create_pair(4);
    char data[] = "abcdef", buf[8] = {};
    xtc_op_t first = transfer_of(XTC_OP_SEND, a, data, 6);
    CHECK(bench.table.try_op(&bench.driver, &first) == 1);
    CHECK(first.res == 4);
    xtc_op_t second = transfer_of(XTC_OP_SEND, a, data + 4, 2);
    CHECK(bench.table.try_op(&bench.driver, &second) == 0);
    bench.submit(second);
    CHECK(bench.wait().empty());
    bench.timeline.run_due();
    xtc_op_t in = transfer_of(XTC_OP_RECV, b, buf, sizeof buf);
    CHECK(bench.table.try_op(&bench.other, &in) == 1);
    CHECK(in.res == 4);
    CHECK(bench.wait() == std::vector<xtc_op_t*>{&second});
    CHECK(second.res == 2);
}

TEST_CASE("sim driver: a reader that waits gets the bytes when they arrive") {
    Bench bench;
    bench.knobs.io_latency = {50, 50};
    const auto [a, b] = bench.fds.create_pair();
    char data[] = "hi", buf[8] = {};
    xtc_op_t in = transfer_of(XTC_OP_RECV, b, buf, sizeof buf);
    bench.submit(in);
    xtc_op_t out = transfer_of(XTC_OP_SEND, a, data, 2);
    CHECK(bench.table.try_op(&bench.other, &out) == 1);
    CHECK(bench.wait().empty());
    bench.pace(false);
    CHECK(bench.wait(1'000'000) == std::vector<xtc_op_t*>{&in});
    CHECK(in.res == 2);
    CHECK(std::memcmp(buf, "hi", 2) == 0);
    CHECK(bench.timeline.now() == 1100); // there, and seen
}

TEST_CASE("sim driver: the end of a stream comes after its last byte") {
    Bench bench;
    bench.knobs.io_latency = {100, 100};
    const auto [a, b] = bench.fds.create_pair();
    char data[] = "x", buf[8] = {};
    xtc_op_t out = transfer_of(XTC_OP_SEND, a, data, 1);
    CHECK(bench.table.try_op(&bench.driver, &out) == 1);
    bench.fds.close(a);
    bench.timeline.advance(100);
    bench.timeline.run_due();
    xtc_op_t in = transfer_of(XTC_OP_RECV, b, buf, sizeof buf);
    CHECK(bench.table.try_op(&bench.driver, &in) == 1);
    CHECK(in.res == 1);
    CHECK(bench.table.try_op(&bench.driver, &in) == 1);
    CHECK(in.res == 0);
    xtc_op_t hup = poll_of(b);
    CHECK(bench.table.try_op(&bench.driver, &hup) == 1);
    CHECK((hup.res & POLLHUP) != 0);
    xtc_op_t back = transfer_of(XTC_OP_SEND, b, data, 1);
    CHECK(bench.table.try_op(&bench.driver, &back) == 1);
    CHECK(back.res == -EPIPE);
}

TEST_CASE("sim driver: a send that waits for room fails when the reader closes") {
    Bench bench;
    const auto [a, b] = bench.fds.create_pair(1);
    char data[] = "xy";
    xtc_op_t first = transfer_of(XTC_OP_SEND, a, data, 1), second = transfer_of(XTC_OP_SEND, a, data, 1);
    CHECK(bench.table.try_op(&bench.driver, &first) == 1);
    bench.submit(second);
    bench.fds.close(b);
    CHECK(bench.wait().size() == 1);
    CHECK(second.res == -EPIPE);
}

TEST_CASE("sim driver: what a descriptor can not do fails as the kernel would say it") {
    Bench bench;
    const int signal = bench.fds.create_signal();
    const auto [a, b] = bench.fds.create_pair();
    char buf[4] = {};
    struct Case {
        xtc_op_kind_t kind;
        int fd;
        int64_t res;
    };
    for (const Case& c : {Case{XTC_OP_RECV, signal, -ENOTSOCK}, Case{XTC_OP_SEND, signal, -ENOTSOCK},
                          Case{XTC_OP_ACCEPT, signal, -ENOTSOCK}, Case{XTC_OP_CONNECT, signal, -ENOTSOCK},
                          Case{XTC_OP_ACCEPT, a, -EINVAL}, Case{XTC_OP_CONNECT, b, -EISCONN}}) {
        xtc_op_t op = transfer_of(c.kind, c.fd, buf, sizeof buf);
        bench.submit(op);
        CHECK(bench.wait().size() == 1);
        CHECK(op.res == c.res);
    }
    CHECK_FALSE(bench.fds.show(a, POLLIN, 0));
    CHECK_FALSE(bench.fds.clear(a, POLLIN));
}

TEST_CASE("sim driver: an armed fault comes, and the operation still arrives once") {
    Bench bench;
    bench.knobs.io_error = {1, 1};
    const auto [a, b] = bench.fds.create_pair();
    char data[] = "x";
    xtc_op_t op = transfer_of(XTC_OP_SEND, a, data, 1);
    bench.submit(op);
    CHECK(bench.wait().size() == 1);
    CHECK(op.res == -ECONNRESET);
    bench.knobs.not_yet = {1, 1};
    xtc_op_t poll = poll_of(b, POLLOUT);
    CHECK(bench.table.try_op(&bench.driver, &poll) == 0);
    bench.submit(poll);
    CHECK(bench.wait().size() == 1);
    CHECK(poll.res == POLLOUT);
}

TEST_CASE("virtual fds: numbers start at 1 << 30, the lowest free is next, two worlds never share one") {
    Bench one, two;
    const int a = one.fds.create_signal(), b = two.fds.create_signal(), c = one.fds.create_signal();
    CHECK(a >= 1 << 30);
    CHECK(b > a);
    CHECK(c > b);
    CHECK(VirtualFds::owner_of(b) == &two.fds);
    CHECK_FALSE(one.fds.close(b));
    CHECK(two.fds.close(b));
    CHECK(VirtualFds::owner_of(b) == nullptr);
    CHECK(one.fds.create_signal() == b);
    CHECK(one.fds.open_count() == 3);
}

TEST_CASE("virtual fds: numbers go back when their world ends") {
    int number = 0;
    {
        Bench bench;
        number = bench.fds.create_signal();
        CHECK(VirtualFds::owner_of(number) == &bench.fds);
    }
    CHECK(VirtualFds::owner_of(number) == nullptr);
}

TEST_CASE("virtual fds: the trace knows descriptors by their order of making, not by number") {
    const auto hash = [](int leaked) {
        Bench before;
        for (int i = 0; i < leaked; i++) before.fds.create_signal();
        Bench bench;
        const int fd = bench.fds.create_signal();
        xtc_op_t op = poll_of(fd);
        bench.submit(op);
        bench.fds.show(fd, POLLIN, 10);
        bench.pace(false);
        bench.wait(5000);
        return bench.trace.hash();
    };
    CHECK(hash(0) == hash(5));
}
