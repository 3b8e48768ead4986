// SPDX-License-Identifier: ISC
// How operations end before their time: cancel, close_fd, suspend, a fork, a number given to another file.
#include "loop/driver_fixture.hpp"

#include <array>
#include <dirent.h>
#include <sys/wait.h>
#include <thread>

using namespace driver_tests;

namespace {

// One silent operation of each kind that can wait.
struct Silent {
    Silent() { fill(writer.first); }
    std::array<Op, 4> make() {
        return {Op::poll(event_fd, POLLIN), Op::recv(reader.first, buf, sizeof(buf)),
                Op::send(writer.first, "x", 1), Op::accept(listener.fd)};
    }
    Fd event_fd = event();
    Pair reader = socket_pair();
    Pair writer = socket_pair();
    Listener listener;
    char buf[16] = {};
};

size_t count_fds() {
    size_t n = 0;
    DIR* dir = ::opendir("/proc/self/fd");
    while (::readdir(dir) != nullptr) ++n;
    ::closedir(dir);
    return n;
}

// Connecting to an address of this net that nobody answers needs one that drops packets; a listener with a
// full backlog does as well.
struct SilentPeer {
    SilentPeer() {
        ::listen(listener.fd, 0);
        for (int i = 0; i < 4; ++i) {
            Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            ::connect(client, Listener::sockaddr_of(listener.address), sizeof(listener.address));
            clients.push_back(std::move(client));
        }
    }
    Listener listener;
    std::vector<Fd> clients;
};

} // namespace

TEST_CASE("a cancelled operation comes back once with ECANCELED, seen by the kernel or not") {
    const Make make = any_driver();
    const bool is_in_kernel = GENERATE(false, true);
    CAPTURE(make.name, is_in_kernel);
    Driver driver(make);
    Silent silent;
    auto ops = silent.make();
    for (Op& op : ops) driver.submit(op);
    if (is_in_kernel) CHECK(driver.poll() == 0);
    for (Op& op : ops) {
        driver.cancel(op);
        driver.cancel(op); // a second one changes nothing
    }
    for (Op& op : ops) {
        CAPTURE(int{op.kind});
        CHECK(driver.finish(op));
        CHECK(op.res == -ECANCELED);
    }
    CHECK(driver.in_flight() == 0);
    CHECK(driver.poll() == 0);
}

TEST_CASE("a connect that nobody answers can be cancelled, closed and suspended") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    SilentPeer peer;
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    Op op = Op::connect(socket, &peer.listener.address, sizeof(peer.listener.address));
    driver.submit(op);
    REQUIRE(driver.stays_pending(op));
    driver.suspend();
    REQUIRE(driver.stays_pending(op));
    driver.suspend();
    driver.cancel(op);
    CHECK(driver.finish(op));
    CHECK(op.res == -ECANCELED);

    Fd other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    op = Op::connect(other, &peer.listener.address, sizeof(peer.listener.address));
    driver.submit(op);
    REQUIRE(driver.stays_pending(op));
    driver.close_fd(other.release());
    CHECK(driver.finish(op));
    CHECK(op.res == -ECONNABORTED);
}

TEST_CASE("a connect that was suspended goes on where it was") {
    const Make make = GENERATE(all_drivers[0], all_drivers[1]); // each takes a second of retransmission
    const bool ends_while_suspended = GENERATE(false, true);
    CAPTURE(make.name, ends_while_suspended);
    Driver driver(make);
    SilentPeer peer;
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    Op op = Op::connect(socket, &peer.listener.address, sizeof(peer.listener.address));
    driver.submit(op);
    REQUIRE(driver.stays_pending(op));
    driver.suspend();
    if (!ends_while_suspended) REQUIRE(driver.stays_pending(op));
    // Room in the backlog; the client's next SYN, a second after its first, is answered.
    for (int i = 0; i < 4; ++i) {
        const int taken = ::accept(peer.listener.fd, nullptr, nullptr);
        if (taken >= 0) ::close(taken);
    }
    if (ends_while_suspended) {
        pollfd writable{socket, POLLOUT, 0};
        REQUIRE(::poll(&writable, 1, 10'000) == 1);
    }
    CHECK(driver.finish(op));
    CHECK(op.res == 0);
}

TEST_CASE("a cancel that comes too late changes nothing") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    char buf[4] = {};
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    CHECK(driver.poll() == 0);
    CHECK(::write(pair.second, "abc", 3) == 3);
    driver.cancel(op);
    CHECK(driver.finish(op));
    CHECK((op.res == 3 || op.res == -ECANCELED));
    if (op.res != 3) CHECK(::recv(pair.first, buf, sizeof(buf), MSG_DONTWAIT) == 3); // nothing was taken

    Op failed = Op::poll(-1, POLLIN);
    driver.submit(failed);
    driver.cancel(failed);
    CHECK(driver.finish(failed));
    CHECK(failed.res == -EBADF);
}

// The ring tries such a receive again and again, then gives it to a kernel thread: a cancel may find it
// nowhere.
TEST_CASE("a receive on a socket with unread errors can be cancelled") {
    const Make make = GENERATE(from_range(all_drivers.begin(), all_drivers.end()));
    CAPTURE(make.name);
    if (!make.is_ring) return; // epoll reports the error for ever, and the receive has nothing to take
    Driver driver(make);
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    REQUIRE(::setsockopt(socket, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)) == 0);
    sockaddr_in address{};
    {
        Listener listener;
        address = listener.address; // nobody's once it is closed, and no UDP port before
    }
    REQUIRE(::connect(socket, Listener::sockaddr_of(address), sizeof(address)) == 0);
    char buf[16] = {};
    for (int round = 0; round < 20; ++round) {
        ::send(socket, "x", 1, 0);
        while (::recv(socket, buf, sizeof(buf), 0) == -1 && errno != EAGAIN) {
        }
        Op op = Op::recv(socket, buf, sizeof(buf));
        driver.submit(op);
        for (int i = 0; i < round; ++i) driver.poll();
        driver.cancel(op);
        CHECK(driver.finish(op));
        CHECK(op.res == -ECANCELED);
    }
}

TEST_CASE("O13: storage used again is not hit by the cancel of what was in it before") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Fd first = event();
    Fd second = event();
    Op op;
    for (int round = 0; round < 1000; ++round) {
        op = Op::poll(first, POLLIN);
        driver.submit(op);
        driver.poll();
        signal_event(first);
        driver.cancel(op);
        if (!driver.finish(op)) FAIL("lost");
        uint64_t count = 0;
        if (::read(first, &count, sizeof(count)) != sizeof(count)) FAIL("the event is gone");
        op = Op::poll(second, POLLIN);
        driver.submit(op);
        driver.poll();
        if (op.is_done) FAIL("ended with " << op.res);
        signal_event(second);
        if (!driver.finish(op)) FAIL("lost");
        if (op.res != POLLIN) FAIL("ended with " << op.res);
        if (::read(second, &count, sizeof(count)) != sizeof(count)) FAIL("the event is gone");
    }
    SUCCEED();
}

TEST_CASE("O14: an accept cancelled while a client connects leaks no descriptor") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Listener listener;
    driver.poll();
    size_t before = 0;
    for (int round = 0; round < 300; ++round) {
        if (round == 10) before = count_fds();
        Op op = Op::accept(listener.fd);
        driver.submit(op);
        if (round % 2 == 0) driver.poll();
        Fd client = listener.connect();
        driver.cancel(op);
        if (!driver.finish(op)) FAIL("lost");
        if (op.res < 0 && op.res != -ECANCELED) FAIL("ended with " << op.res);
        const int taken = op.res >= 0 ? static_cast<int>(op.res) : ::accept(listener.fd, nullptr, nullptr);
        if (taken < 0) FAIL("the connection is gone");
        ::close(taken);
    }
    CHECK(count_fds() == before);
}

TEST_CASE("close_fd ends what waits on the descriptor with ECONNABORTED, and nothing else") {
    const Make make = any_driver();
    const bool is_in_kernel = GENERATE(false, true);
    CAPTURE(make.name, is_in_kernel);
    Driver driver(make);
    Silent silent;
    auto ops = silent.make();
    Fd other = event();
    Op bystander = Op::poll(other, POLLIN);
    for (Op& op : ops) driver.submit(op);
    driver.submit(bystander);
    if (is_in_kernel) CHECK(driver.poll() == 0);
    for (const int fd : {silent.event_fd.release(), silent.reader.first.release(),
                         silent.writer.first.release(), silent.listener.fd.release()}) {
        driver.close_fd(fd);
        CHECK(::fcntl(fd, F_GETFD) == -1);
    }
    // The port is free at once, though an accept was waiting.
    Fd again(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(::bind(again, Listener::sockaddr_of(silent.listener.address), sizeof(silent.listener.address)) ==
          0);
    for (Op& op : ops) {
        CAPTURE(int{op.kind});
        CHECK(driver.finish(op));
        CHECK(op.res == -ECONNABORTED);
    }
    CHECK(driver.stays_pending(bystander));
    signal_event(other);
    CHECK(driver.finish(bystander));
    CHECK(bystander.res == POLLIN);
}

TEST_CASE("O04: a number closed and given to another file delivers nothing to the old wait") {
    const Make make = any_driver();
    const bool has_duplicate = GENERATE(false, true);
    CAPTURE(make.name, has_duplicate);
    Driver driver(make);
    Pair old = pipe_pair();
    Op waiting = Op::poll(old.first, POLLIN);
    driver.submit(waiting);
    CHECK(driver.poll() == 0);
    const int number = old.first.release();
    const Fd duplicate(has_duplicate ? ::dup(number) : ::dup(0)); // keeps the old file alive
    ::close(number);
    Pair fresh = pipe_pair();
    if (fresh.first != number) REQUIRE(::dup2(fresh.first, number) == number);
    CHECK(::write(fresh.second, "x", 1) == 1);
    CHECK(driver.stays_pending(waiting));

    Op newcomer = Op::poll(number, POLLIN);
    CHECK(driver.run(newcomer) == POLLIN);
    CHECK(driver.stays_pending(waiting));
    // Again on the same number, while the old wait is still on it.
    char byte = 0;
    CHECK(::read(number, &byte, 1) == 1);
    newcomer = Op::poll(number, POLLIN);
    driver.submit(newcomer);
    CHECK(driver.stays_pending(newcomer));
    CHECK(!waiting.is_done);
    if (has_duplicate) {
        // The old file may still end its own wait (a ring knows the file, epoll has only the number), never
        // the newcomer's.
        CHECK(::write(old.second, "x", 1) == 1);
        CHECK(driver.stays_pending(newcomer));
    }
    CHECK(::write(fresh.second, "x", 1) == 1);
    CHECK(driver.finish(newcomer));
    CHECK(newcomer.res == POLLIN);
    driver.cancel(waiting);
    CHECK(driver.finish(waiting));
    CHECK(waiting.res == (has_duplicate && make.is_ring ? int64_t{POLLIN} : int64_t{-ECANCELED}));
    if (fresh.first != number) ::close(number);
}

TEST_CASE("close_fd ends waits that a closed number left behind") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair old = pipe_pair();
    Op waiting = Op::poll(old.first, POLLIN);
    driver.submit(waiting);
    CHECK(driver.poll() == 0);
    const int number = old.first.release();
    ::close(number);
    Pair fresh = pipe_pair();
    REQUIRE(fresh.first == number);
    Op newcomer = Op::poll(number, POLLIN);
    driver.submit(newcomer);
    CHECK(driver.poll() == 0);
    driver.close_fd(fresh.first.release());
    CHECK(driver.finish(waiting));
    CHECK(driver.finish(newcomer));
    CHECK(waiting.res == -ECONNABORTED);
    CHECK(newcomer.res == -ECONNABORTED);
}

TEST_CASE("after suspend nobody's memory is written to, and the next wait starts again, on any thread") {
    const Make make = any_driver();
    const bool on_another_thread = GENERATE(false, true);
    CAPTURE(make.name, on_another_thread);
    Driver driver(make);
    Silent silent;
    auto ops = silent.make();
    const auto run = [&](auto&& body) {
        if (on_another_thread)
            std::thread(body).join();
        else
            body();
    };
    run([&] {
        for (Op& op : ops) driver.submit(op);
        driver.poll();
        driver.suspend();
        driver.suspend(); // once more is harmless
    });
    CHECK(driver.in_flight() == ops.size());
    signal_event(silent.event_fd);
    CHECK(::write(silent.reader.second, "abc", 3) == 3);
    empty(silent.writer.second);
    Fd client = silent.listener.connect();
    std::thread([] {}).join(); // a switch or two
    CHECK(silent.buf[0] == 0);
    bool is_finished = true;
    run([&] {
        for (Op& op : ops) is_finished = driver.finish(op) && is_finished;
        driver.suspend();
    });
    CHECK(is_finished);
    CHECK(ops[0].res == POLLIN);
    CHECK(ops[1].res == 3);
    CHECK(ops[2].res == 1);
    CHECK(ops[3].res >= 0);
    if (ops[3].res >= 0) ::close(static_cast<int>(ops[3].res));
}

TEST_CASE(
    "what finished before a suspend is kept; what is cancelled or closed during it is told afterwards") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Silent silent;
    auto ops = silent.make();
    for (Op& op : ops) driver.submit(op);
    CHECK(driver.poll() == 0);
    CHECK(::write(silent.reader.second, "abc", 3) == 3);
    driver.suspend();
    driver.cancel(ops[0]);
    driver.close_fd(silent.listener.fd.release());
    for (Op& op : ops) {
        if (op.kind != XTC_OP_SEND) CHECK(driver.finish(op));
    }
    CHECK(ops[0].res == -ECANCELED);
    CHECK(ops[1].res == 3);
    CHECK(ops[3].res == -ECONNABORTED);
    CHECK(driver.stays_pending(ops[2]));
}

TEST_CASE("O15: a forked child that frees the driver leaves the parent's operations alone") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Pair pair = socket_pair();
    char buf[4] = {};
    Driver driver(make);
    driver.pollfd();
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    CHECK(driver.poll() == 0);
    const pid_t child = fork_child();
    if (child == 0) {
        driver.ref().table->destroy(driver.ref().self);
        ::_exit(0);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(driver.stays_pending(op));
    CHECK(::write(pair.second, "abc", 3) == 3);
    CHECK(driver.finish(op));
    CHECK(op.res == 3);
}

TEST_CASE("abort_fd ends what waits on the descriptor and leaves it open") {
    const Make make = any_driver();
    CAPTURE(make.name);
    Driver driver(make);
    Pair pair = socket_pair();
    char buf[4] = {};
    Op op = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(op);
    CHECK(driver.poll() == 0);
    driver.ref().table->abort_fd(driver.ref().self, pair.first);
    CHECK(driver.finish(op));
    CHECK(op.res == -ECONNABORTED);
    CHECK(::write(pair.second, "abc", 3) == 3);
    op = Op::recv(pair.first, buf, sizeof(buf));
    CHECK(driver.run(op) == 3);
}
