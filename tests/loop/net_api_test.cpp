// SPDX-License-Identifier: ISC
// Each story on both drivers.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dirent.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/loops.hpp"
#include "xtc_async.h"
#include "xtc_io.h"
#include "xtc_net.h"

using namespace xtc::test;

namespace {

int open_fds() {
    int n = 0;
    DIR* d = opendir("/proc/self/fd");
    while (readdir(d) != nullptr) ++n;
    closedir(d);
    return n;
}

class Backend { // for the loops made while it lives
public:
    explicit Backend(const char* name) { xtc_env_set("XTC_IO_BACKEND", name, 1); }
    ~Backend() { xtc_env_set("XTC_IO_BACKEND", "auto", 1); }
};

struct Listener {
    int fd = -1;
    uint16_t port = 0;
    Listener() { REQUIRE(xtc_net_listen_any(XTC_NET_INET, "127.0.0.1", nullptr, &fd, &port) == XTC_OK); }
    ~Listener() { xtc_net_close(fd); }
};

#define ON_BOTH_DRIVERS                                                                                      \
    const char* const backend_name = GENERATE("uring", "epoll");                                             \
    CAPTURE(backend_name);                                                                                   \
    Backend backend(backend_name);                                                                           \
    TestLoop loop

} // namespace

TEST_CASE("net: a connection carries bytes both ways and ends with 0") {
    ON_BOTH_DRIVERS;
    Listener l;
    std::string heard, answer;
    loop.proc([&] {
        int fd = -1;
        CHECK(xtc_net_accept_wait(l.fd, kSecond, &fd) == XTC_OK);
        char buf[64];
        size_t n = 0;
        CHECK(xtc_net_read(fd, buf, sizeof buf, kSecond, &n) == XTC_OK);
        heard.assign(buf, n);
        CHECK(xtc_net_write(fd, "pong", 4, kSecond, nullptr) == XTC_OK);
        xtc_net_close(fd);
    });
    loop.proc([&] {
        CHECK(std::string(xtc_io_backend_name()) == backend_name);
        int fd = -1;
        CHECK(xtc_net_connect(XTC_NET_INET, "127.0.0.1", l.port, nullptr, kSecond, &fd) == XTC_OK);
        CHECK(xtc_net_write(fd, "ping", 4, kSecond, nullptr) == XTC_OK);
        char buf[64];
        size_t n = 0;
        CHECK(xtc_net_read(fd, buf, sizeof buf, kSecond, &n) == XTC_OK);
        answer.assign(buf, n);
        n = 99;
        CHECK(xtc_net_read(fd, buf, sizeof buf, kSecond, &n) == XTC_OK);
        CHECK(n == 0);
        xtc_net_close(fd);
    });
    loop.run();
    CHECK(heard == "ping");
    CHECK(answer == "pong");
}

TEST_CASE("net: reads and accepts time out, a connect is refused") {
    ON_BOTH_DRIVERS;
    Listener l;
    loop.proc([&] {
        int fd = -1;
        CHECK(xtc_net_accept_wait(l.fd, 0, &fd) == XTC_E_AGAIN);
        CHECK(xtc_net_accept_wait(l.fd, kMs, &fd) == XTC_E_AGAIN);
        int pair[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
        char c;
        size_t n = 0;
        CHECK(xtc_net_read(pair[0], &c, 1, kMs, &n) == XTC_E_AGAIN);
        close(pair[0]);
        close(pair[1]);
        Listener closed;
        const uint16_t port = closed.port;
        xtc_net_close(closed.fd);
        closed.fd = -1;
        CHECK(xtc_net_connect(XTC_NET_INET, "127.0.0.1", port, nullptr, kSecond, &fd) == XTC_E_IO);
        CHECK(fd == -1);
    });
    loop.run();
}

TEST_CASE("net: a write larger than the socket's buffers goes out whole while the peer reads") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    std::vector<char> sent(3 << 20), got;
    for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7);
    loop.proc([&] {
        size_t n = 0;
        CHECK(xtc_net_write(pair[0], sent.data(), sent.size(), 20 * kSecond, &n) == XTC_OK);
        CHECK(n == sent.size());
        xtc_net_close(pair[0]);
    });
    loop.proc([&] {
        std::vector<char> buf(64 << 10);
        for (size_t n = 1; n > 0;) {
            CHECK(xtc_net_read(pair[1], buf.data(), buf.size(), 20 * kSecond, &n) == XTC_OK);
            got.insert(got.end(), buf.begin(), buf.begin() + static_cast<ptrdiff_t>(n));
        }
    });
    loop.run();
    CHECK(got == sent);
    close(pair[1]);
}

TEST_CASE("net: a timed-out write says how much went out; writing to a closed peer is XTC_E_IO, no signal") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    loop.proc([&] {
        std::vector<char> much(8 << 20);
        size_t n = 0;
        CHECK(xtc_net_write(pair[0], much.data(), much.size(), 2 * kMs, &n) == XTC_E_AGAIN);
        CHECK(n > 0);
        CHECK(n < much.size());
        close(pair[1]);
        CHECK(xtc_net_write(pair[0], "x", 1, kSecond, nullptr) == XTC_E_IO);
        close(pair[0]);
    });
    loop.run();
}

TEST_CASE("net: closing a descriptor ends the wait for it with XTC_E_ABORTED") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    int rc = 0;
    loop.proc([&] {
        char c;
        size_t n = 0;
        rc = xtc_net_read(pair[0], &c, 1, kForever, &n);
    });
    loop.proc([&] {
        xtc_yield();
        xtc_net_close(pair[0]);
    });
    loop.run();
    CHECK(rc == XTC_E_ABORTED);
    close(pair[1]);
}

TEST_CASE("net: one reader at a time") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    loop.proc([&] {
        char c;
        size_t n = 0;
        CHECK(xtc_net_read(pair[0], &c, 1, kSecond, &n) == XTC_OK);
    });
    loop.proc([&] {
        xtc_yield();
        char c;
        size_t n = 0;
        CHECK(xtc_net_read(pair[0], &c, 1, kSecond, &n) == XTC_E_INVAL);
        uint32_t bits = 0;
        CHECK(xtc_proc_wait_fd(pair[0], XTC_IO_READABLE, kSecond, &bits) == XTC_E_INVAL);
        CHECK(xtc_proc_wait_fd(pair[0], XTC_IO_WRITABLE, kSecond, &bits) == XTC_OK); // the other side is free
        CHECK(write(pair[1], "x", 1) == 1);
    });
    loop.run();
    close(pair[0]);
    close(pair[1]);
}

TEST_CASE("net: a kill ends a read, and its descriptor serves the next") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    xtc_pid_t victim = loop.proc([&] {
        char buf[16];
        size_t n = 0;
        xtc_net_read(pair[0], buf, sizeof buf, kForever, &n);
        CHECK(false);
    });
    loop.proc([&] {
        xtc_yield();
        CHECK(xtc_exit_pid(victim, 1) == XTC_OK);
        xtc_yield();
        xtc_yield();
        CHECK(write(pair[1], "x", 1) == 1);
        char c = 0;
        size_t n = 0;
        CHECK(xtc_net_read(pair[0], &c, 1, kSecond, &n) == XTC_OK);
        CHECK(c == 'x');
    });
    loop.run();
    close(pair[0]);
    close(pair[1]);
}

// O14
TEST_CASE("net: a connection that comes in as its acceptor is killed is not leaked") {
    ON_BOTH_DRIVERS;
    loop.run();
    Listener l;
    const int before = open_fds();
    for (int round = 0; round < 50; ++round) {
        xtc_pid_t acceptor = loop.proc([&] {
            int fd = -1;
            if (xtc_net_accept_wait(l.fd, kForever, &fd) == XTC_OK) xtc_net_close(fd);
        });
        loop.proc([&] {
            xtc_yield();
            int fd = -1;
            CHECK(xtc_net_dial(XTC_NET_INET, "127.0.0.1", l.port, nullptr, &fd) == XTC_OK);
            xtc_exit_pid(acceptor, 1);
            xtc_yield();
            xtc_net_close(fd);
        });
        loop.run();
    }
    // What the acceptors did not take waits in the backlog: that is the kernel's, not a descriptor of ours.
    CHECK(open_fds() <= before + 1); // the loop's own, made at its first use
}

TEST_CASE("net: the loop goes while fibers wait for descriptors") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    loop.proc([&] {
        char buf[256];
        size_t n = 0;
        xtc_net_read(pair[0], buf, sizeof buf, kForever, &n);
        CHECK(false);
    });
    loop.proc([&] { xtc_loop_stop(loop); });
    loop.run();
    loop.fini();
    CHECK(write(pair[1], "late", 4) == 4); // lands nowhere of ours
    char c = 0;
    CHECK(read(pair[0], &c, 1) == 1);
    close(pair[0]);
    close(pair[1]);
}

TEST_CASE("net: wait_fd ends on the descriptor, on mail, on a wake and on time") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    std::vector<std::pair<int, uint32_t>> ends;
    xtc_pid_t waiter = loop.proc([&] {
        for (int i = 0; i < 4; ++i) {
            uint32_t bits = 0;
            const int rc = xtc_proc_wait_fd(pair[0], XTC_IO_READABLE, i == 0 ? kMs : kSecond, &bits);
            ends.emplace_back(rc, bits);
            if (bits & XTC_WAIT_MAILBOX) {
                void* data = nullptr;
                size_t size = 0;
                CHECK(xtc_recv(&data, &size, 0) == XTC_OK);
                xtc_free(data);
            }
        }
    });
    loop.proc([&] {
        const auto until = [&](size_t n) { // and the waiter waits again
            while (ends.size() < n) xtc_proc_sleep(kMs / 10);
        };
        until(1);
        CHECK(xtc_send(waiter, "m", 1) == XTC_OK);
        until(2);
        CHECK(xtc_proc_wake(waiter) == XTC_OK);
        until(3);
        CHECK(write(pair[1], "x", 1) == 1);
    });
    loop.run();
    using End = std::pair<int, uint32_t>;
    CHECK(ends == std::vector<End>{{XTC_E_AGAIN, XTC_WAIT_TIMEOUT},
                                   {XTC_OK, XTC_WAIT_MAILBOX},
                                   {XTC_OK, 0},
                                   {XTC_OK, XTC_IO_READABLE}});
    close(pair[0]);
    close(pair[1]);
}

TEST_CASE("net: a look at a descriptor with waiting mail reports the mail, not the time") {
    ON_BOTH_DRIVERS;
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    loop.proc([&] {
        CHECK(xtc_send(xtc_self(), "m", 1) == XTC_OK);
        uint32_t bits = 0;
        CHECK(xtc_proc_wait_fd(pair[0], XTC_IO_READABLE, 0, &bits) == XTC_OK);
        CHECK(bits == XTC_WAIT_MAILBOX);
        CHECK(write(pair[1], "x", 1) == 1);
        CHECK(xtc_proc_wait_fd(pair[0], XTC_IO_READABLE, 0, &bits) == XTC_OK);
        CHECK(bits == (XTC_WAIT_MAILBOX | XTC_IO_READABLE));
    });
    loop.run();
    close(pair[0]);
    close(pair[1]);
}

TEST_CASE("net: fiber calls are refused elsewhere") {
    char c;
    size_t n = 0;
    int fd = -1;
    uint32_t bits = 0;
    CHECK(xtc_net_read(0, &c, 1, 0, &n) == XTC_E_INVAL);
    CHECK(xtc_net_write(0, &c, 1, 0, &n) == XTC_E_INVAL);
    CHECK(xtc_net_accept_wait(0, 0, &fd) == XTC_E_INVAL);
    CHECK(xtc_net_connect(XTC_NET_INET, "127.0.0.1", 1, nullptr, 0, &fd) == XTC_E_INVAL);
    CHECK(xtc_proc_wait_fd(0, XTC_IO_READABLE, 0, &bits) == XTC_E_INVAL);
    CHECK(xtc_net_listen(XTC_NET_INET, "127.0.0.1", 0, nullptr, &fd) == XTC_E_INVAL);
}
