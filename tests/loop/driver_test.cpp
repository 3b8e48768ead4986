// SPDX-License-Identifier: ISC
// What each operation does, over every driver.
#include "loop/driver_fixture.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>

using namespace driver_tests;

TEST_CASE("a receive gets what is there, what comes later, and 0 at the end") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    char buf[16] = {};
    CHECK(::write(pair.second, "now", 3) == 3);
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    CHECK(driver.run(op) == 3);
    CHECK(std::string(buf, 3) == "now");

    op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    CHECK(::write(pair.second, "later", 5) == 5);
    CHECK(driver.finish(op));
    CHECK(op.res == 5);
    CHECK(std::string(buf, 5) == "later");

    op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    pair.second.close();
    CHECK(driver.finish(op));
    CHECK(op.res == 0);
}

TEST_CASE("a send takes what fits, waits while nothing fits, and reports a dead peer without SIGPIPE") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    std::vector<char> much(64 << 20);
    Op op = Op::send(pair.first, much.data(), much.size());
    const int64_t sent = driver.run(op);
    CHECK(sent > 0);
    CHECK(sent < static_cast<int64_t>(much.size()));

    fill(pair.first);
    op = Op::send(pair.first, "x", 1);
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    empty(pair.second);
    CHECK(driver.finish(op));
    CHECK(op.res == 1);

    pair.second.close();
    op = Op::send(pair.first, "x", 1);
    CHECK(driver.run(op) == -EPIPE);
}

TEST_CASE("a send that would block after a try waits for room") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    fill(pair.first);
    Op op = Op::send(pair.first, "x", 1);
    CHECK(driver.try_op(op) == 0);
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    empty(pair.second);
    CHECK(driver.finish(op));
    CHECK(op.res == 1);
}

TEST_CASE("a peer that shuts down its direction does not end a wait for room, nor make a thread") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    fill(pair.first);
    const auto threads = [] {
        struct stat task {};
        ::stat("/proc/self/task", &task);
        return task.st_nlink;
    };
    const auto before = threads();
    Op poll = Op::poll(pair.first, POLLOUT);
    Op send = Op::send(pair.first, "x", 1);
    driver.submit(poll);
    driver.submit(send);
    CHECK(driver.poll() == 0);
    ::shutdown(pair.second, SHUT_WR);
    CHECK(driver.stays_pending(poll));
    CHECK(driver.stays_pending(send));
    CHECK(threads() == before);
    // Asleep, not asking again and again.
    const int64_t until = driver.now() + 20'000'000;
    int waits = 0;
    for (; driver.now() < until; ++waits) driver.wait(until);
    CHECK(waits < 10);

    Op other = Op::poll(pair.first, POLLOUT);
    driver.submit(other);
    CHECK(driver.stays_pending(other));
    driver.cancel(other);
    CHECK(driver.finish(other));
    CHECK(other.res == -ECANCELED);

    empty(pair.second);
    CHECK(driver.finish(poll));
    CHECK(poll.res == POLLOUT);
    CHECK(driver.finish(send));
    CHECK(send.res == 1);
}

TEST_CASE("an accept waits for a connection and gives a non-blocking, close-on-exec descriptor") {
    const Make make = any_driver();
    const int flags = GENERATE(0, SOCK_NONBLOCK);
    CAPTURE(make.name, flags);
    Driver driver(make);
    Listener listener(flags);
    Op op = Op::accept(listener.fd);
    CHECK(driver.try_op(op) == 0);
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    Fd client = listener.connect();
    REQUIRE(driver.finish(op));
    REQUIRE(op.res >= 0);
    Fd accepted(static_cast<int>(op.res));
    CHECK((::fcntl(accepted, F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(accepted, F_GETFD) & FD_CLOEXEC) != 0);

    Fd second = listener.connect();
    op = Op::accept(listener.fd);
    REQUIRE(driver.run(op) >= 0);
    ::close(static_cast<int>(op.res));
    op = Op::accept(accepted);
    CHECK(driver.run(op) == -EINVAL);
}

TEST_CASE("a connect ends with 0 or with what the peer answered, tried before or not") {
    const Make make = any_driver();
    const bool is_tried = GENERATE(false, true);
    const int flags = GENERATE(0, SOCK_NONBLOCK);
    CAPTURE(make.name, is_tried, flags);
    Driver driver(make);
    const auto connect = [&](sockaddr_in& address) -> int64_t {
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
        Op op = Op::connect(socket, &address, sizeof(address));
        if (is_tried && driver.try_op(op) == 1) return op.res;
        const int64_t res = driver.run(op);
        sockaddr_in peer{};
        socklen_t len = sizeof(peer);
        CHECK((::getpeername(socket, Listener::sockaddr_of(peer), &len) == 0) == (res == 0));
        return res;
    };
    Listener listener;
    CHECK(connect(listener.address) == 0);
    listener.fd.close();
    CHECK(connect(listener.address) == -ECONNREFUSED);

    sockaddr_un nowhere{AF_UNIX, "/nonexistent/socket"};
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    Op op = Op::connect(socket, &nowhere, sizeof(nowhere));
    CHECK(driver.run(op) == -ENOENT);
}

TEST_CASE("a connect to a Unix listener whose backlog is full says EAGAIN, as the system call does") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "xtc-driver-test-%d", ::getpid());
    const auto len =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name.sun_path + 1));
    Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&name), len) == 0);
    REQUIRE(::listen(listener, 0) == 0);
    Fd first(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    Op op = Op::connect(first, &name, len);
    CHECK(driver.run(op) == 0);
    Fd second(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    op = Op::connect(second, &name, len);
    CHECK(driver.run(op) == -EAGAIN);
}

TEST_CASE("a poll tells the bits that came true, and no others") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd signalled = event(1);
    Op op = Op::poll(signalled, POLLIN);
    CHECK(driver.run(op) == POLLIN);
    op = Op::poll(signalled, POLLIN | POLLOUT);
    CHECK(driver.run(op) == (POLLIN | POLLOUT));

    Fd silent = event();
    op = Op::poll(silent, POLLIN);
    driver.submit(op);
    CHECK(driver.stays_pending(op));
    signal_event(silent);
    CHECK(driver.finish(op));
    CHECK(op.res == POLLIN);

    Pair reader = pipe_pair();
    reader.second.close();
    op = Op::poll(reader.first, POLLIN);
    CHECK(driver.run(op) == POLLHUP);
    op = Op::poll(reader.first, 0);
    CHECK(driver.run(op) == POLLHUP);

    Pair writer = pipe_pair();
    writer.first.close();
    op = Op::poll(writer.second, POLLIN);
    CHECK(driver.run(op) == POLLERR);

    Pair pair = socket_pair();
    op = Op::poll(pair.first, POLLIN | POLLRDHUP);
    driver.submit(op);
    ::shutdown(pair.second, SHUT_WR);
    CHECK(driver.finish(op));
    CHECK(op.res == (POLLIN | POLLRDHUP));
    op = Op::poll(pair.first, POLLIN);
    CHECK(driver.run(op) == POLLIN);

    Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    op = Op::poll(null, POLLIN);
    CHECK(driver.run(op) == POLLIN);
}

TEST_CASE("the kinds of file that have no name can be polled: timers, processes, sets") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    Op op = Op::poll(timer, POLLIN);
    driver.submit(op);
    CHECK(driver.poll() == 0);
    const itimerspec soon{{}, {0, 1'000'000}};
    CHECK(::timerfd_settime(timer, 0, &soon, nullptr) == 0);
    CHECK(driver.finish(op));
    CHECK(op.res == POLLIN);

    const pid_t child = fork_child();
    if (child == 0) ::_exit(0);
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    op = Op::poll(process, POLLIN);
    CHECK(driver.run(op) == POLLIN);
    CHECK(::waitpid(child, nullptr, 0) == child);

    Fd set(::epoll_create1(EPOLL_CLOEXEC));
    Fd member = event();
    epoll_event interest{};
    interest.events = EPOLLIN;
    CHECK(::epoll_ctl(set, EPOLL_CTL_ADD, member, &interest) == 0);
    op = Op::poll(set, POLLIN);
    driver.submit(op);
    CHECK(driver.poll() == 0);
    signal_event(member);
    CHECK(driver.finish(op));
    CHECK(op.res == POLLIN);
}

TEST_CASE("a poll of a regular file or a directory is EINVAL, of a number that is not open EBADF") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    Fd directory(::open("/", O_RDONLY | O_CLOEXEC));
    const int closed = number_out_of_the_way();
    ::close(closed);
    for (const auto& [fd, error] : {std::pair<int, int>{file, -EINVAL},
                                    {directory, -EINVAL},
                                    {closed, -EBADF},
                                    {-1, -EBADF},
                                    {1 << 30, -EBADF}}) {
        CAPTURE(fd);
        Op op = Op::poll(fd, POLLIN);
        CHECK(driver.try_op(op) == 1);
        CHECK(op.res == error);
        op = Op::poll(fd, POLLIN);
        CHECK(driver.run(op) == error);
    }
    // Closed between the submit and the wait.
    const int late = number_out_of_the_way();
    Op op = Op::poll(late, POLLIN);
    driver.submit(op);
    ::close(late);
    if (make.is_ring) { // epoll has the file by then: the wait lasts, as when it is closed during the wait
        CHECK(driver.finish(op));
        CHECK(op.res == -EBADF);
    }
}

TEST_CASE("socket operations on what is no socket are ENOTSOCK, on what is not open EBADF") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pipe = pipe_pair();
    Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const int closed = number_out_of_the_way();
    ::close(closed);
    char buf[4] = {};
    for (const auto& [fd, error] :
         {std::pair<int, int>{pipe.first, -ENOTSOCK}, {file, -ENOTSOCK}, {closed, -EBADF}, {-1, -EBADF}}) {
        CAPTURE(fd);
        for (Op op : {Op::recv(fd, buf, 4), Op::send(fd, buf, 4), Op::accept(fd), Op::connect(fd, buf, 4)}) {
            CAPTURE(int{op.kind});
            const int64_t res = driver.run(op);
            // The kernel looks at the address before it looks at the socket.
            CHECK((res == error || (op.kind == XTC_OP_CONNECT && res == -EINVAL)));
        }
    }
}

TEST_CASE("a try does the work when it can, and otherwise leaves no trace") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    char buf[4] = {};
    Op recv = Op::recv(pair.first, buf, sizeof(buf));
    CHECK(driver.try_op(recv) == 0);
    Op send = Op::send(pair.second, "abc", 3);
    CHECK(driver.try_op(send) == 1);
    CHECK(send.res == 3);
    Op poll = Op::poll(pair.first, POLLIN);
    CHECK(driver.try_op(poll) == 1);
    CHECK(poll.res == POLLIN);
    CHECK(driver.try_op(recv) == 1);
    CHECK(recv.res == 3);
    CHECK(driver.try_op(poll) == 0);
    Listener listener;
    Op accept = Op::accept(listener.fd);
    CHECK(driver.try_op(accept) == 0);
    Fd client = listener.connect();
    CHECK(driver.try_op(accept) == 1);
    REQUIRE(accept.res >= 0);
    ::close(static_cast<int>(accept.res));
    CHECK(driver.poll() == 0);
}

TEST_CASE("two waits on one descriptor both end") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd fd = event();
    Op first = Op::poll(fd, POLLIN);
    Op second = Op::poll(fd, POLLIN);
    driver.submit(first);
    driver.submit(second);
    CHECK(driver.poll() == 0);
    signal_event(fd);
    CHECK(driver.finish(first));
    CHECK(driver.finish(second));

    Pair pair = socket_pair();
    fill(pair.first);
    char buf[4] = {};
    Op reader = Op::recv(pair.first, buf, sizeof(buf));
    Op writer = Op::send(pair.first, "x", 1);
    driver.submit(reader);
    driver.submit(writer);
    CHECK(driver.poll() == 0);
    CHECK(::write(pair.second, "hi", 2) == 2);
    CHECK(driver.finish(reader));
    CHECK(reader.res == 2);
    CHECK(driver.stays_pending(writer));
    empty(pair.second);
    CHECK(driver.finish(writer));
    CHECK(writer.res == 1);
}

TEST_CASE("a wait sleeps until its time, never less, and not at all when that has passed") {
    const Make make = any_driver();
    const bool has_op = GENERATE(false, true);
    CAPTURE(make.name, has_op);
    Driver driver(make);
    Fd silent = event();
    Op op = Op::poll(silent, POLLIN);
    if (has_op) driver.submit(op);
    for (const int64_t ns : {1'000, 300'000, 3'000'000}) {
        const int64_t until = driver.now() + ns;
        // May return early for no reason: what counts is that a caller who looks at the clock gets there.
        int waits = 0;
        for (; driver.now() < until; ++waits) CHECK(driver.wait(until) == 0);
        CHECK(waits <= 3);
    }
    const int64_t begin = driver.now();
    for (int i = 0; i < 100; ++i) {
        driver.wait(begin - 1'000'000'000);
        driver.poll();
    }
    CHECK(driver.now() - begin < 1'000'000'000);
}
