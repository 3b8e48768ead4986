// SPDX-License-Identifier: ISC
#include "loop/driver_fixture.hpp"
#include "loop/netfd.hpp"

#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace driver_tests;

namespace {

constexpr int untouched = -77;

int option_of(int fd, int level, int name) {
    int value = -1;
    socklen_t len = sizeof(value);
    CHECK(::getsockopt(fd, level, name, &value, &len) == 0);
    return value;
}

void check_flags(int fd) {
    CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

bool is_ready(int fd, short events) {
    pollfd one{fd, events, 0};
    return ::poll(&one, 1, 10'000) == 1 && (one.revents & events) != 0;
}

bool has_ipv6() {
    const Fd probe(::open("/proc/net/if_inet6", O_RDONLY | O_CLOEXEC));
    char byte = 0;
    return ::read(probe, &byte, 1) == 1;
}

std::string unix_path() {
    return "/tmp/xtc-netfd-test-" + std::to_string(::getpid());
}

// Listens on `host`, connects to `peer`, takes the connection.
void check_connection(int family, const char* host, const char* peer) {
    int lfd = untouched;
    uint16_t port = 0;
    REQUIRE(xtc::open_listener(family, host, 0, true, nullptr, &lfd, &port) == XTC_OK);
    Fd listener(lfd);
    check_flags(listener);
    CHECK((port != 0) == (family != XTC_NET_UNIX));
    int fd = untouched;
    CHECK(xtc::accept_waiting(listener, &fd) == XTC_E_AGAIN);
    CHECK(fd == untouched);
    REQUIRE(xtc::open_dialled(family, peer, port, nullptr, &fd) == XTC_OK);
    Fd client(fd);
    check_flags(client);
    CHECK(is_ready(client, POLLOUT));
    CHECK(is_ready(listener, POLLIN));
    REQUIRE(xtc::accept_waiting(listener, &fd) == XTC_OK);
    Fd server(fd);
    check_flags(server);
    CHECK(::send(client, "hi", 2, MSG_NOSIGNAL) == 2);
    CHECK(is_ready(server, POLLIN));
    if (family != XTC_NET_UNIX) CHECK(option_of(client, IPPROTO_TCP, TCP_NODELAY) != 0);
}

} // namespace

TEST_CASE("listen, dial and accept meet over IPv4, IPv6 and Unix sockets") {
    check_connection(XTC_NET_INET, "127.0.0.1", "127.0.0.1");
    check_connection(XTC_NET_INET, nullptr, "localhost");
    check_connection(XTC_NET_INET, "", "127.0.0.1");
    if (has_ipv6()) {
        check_connection(XTC_NET_INET6, "::1", "localhost");
        check_connection(XTC_NET_INET6, nullptr, "::1");
        check_connection(XTC_NET_INET6, "::1", "::1%lo");
    }
    const std::string path = unix_path();
    ::unlink(path.c_str());
    check_connection(XTC_NET_UNIX, path.c_str(), path.c_str());
    ::unlink(path.c_str());
}

TEST_CASE("bad arguments of listen and dial each have their code, and nothing is touched") {
    const std::string long_path(200, 'x');
    const xtc_tcp_opts_t negative = {1, 1, 0, 0, -1, 0, 0, 0};
    const xtc_tcp_opts_t excessive = {1, 1, 0, 1, 0, 0, 1'000'000, 0};
    struct Row {
        int family;
        const char* host;
        int port;
        const xtc_tcp_opts_t* opts;
        int listen, dial;
    };
    for (const Row& row : std::initializer_list<Row>{
             {7, "127.0.0.1", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {-1, "127.0.0.1", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "127.0.0.1", 0, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "127.0.0.1", -1, nullptr, XTC_E_RANGE, XTC_E_RANGE},
             {XTC_NET_INET, "127.0.0.1", 65536, nullptr, XTC_E_RANGE, XTC_E_RANGE},
             {XTC_NET_INET, "127.0.0", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "example.org", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "::1", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET6, "127.0.0.1", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET6, "fe80::1%nosuchinterface", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET6, "::1%", 1, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_UNIX, long_path.c_str(), 0, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_UNIX, "", 0, nullptr, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "127.0.0.1", 1, &negative, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_INET, "127.0.0.1", 1, &excessive, XTC_E_INVAL, XTC_E_INVAL},
             {XTC_NET_UNIX, "/nonexistent/socket", 0, nullptr, XTC_E_IO, XTC_E_IO},
         }) {
        CAPTURE(row.family, row.host, row.port);
        int fd = untouched;
        CHECK(xtc::open_listener(row.family, row.host, row.port, false, row.opts, &fd, nullptr) ==
              row.listen);
        CHECK(xtc::open_dialled(row.family, row.host, row.port, row.opts, &fd) == row.dial);
        CHECK(fd == untouched);
    }
    int fd = untouched;
    CHECK(xtc::open_listener(XTC_NET_INET, nullptr, 1, false, nullptr, nullptr, nullptr) == XTC_E_INVAL);
    CHECK(xtc::open_dialled(XTC_NET_INET, "127.0.0.1", 1, nullptr, nullptr) == XTC_E_INVAL);
    CHECK(xtc::open_dialled(XTC_NET_INET, nullptr, 1, nullptr, &fd) == XTC_E_INVAL);
    CHECK(xtc::open_dialled(XTC_NET_INET, "", 1, nullptr, &fd) == XTC_E_INVAL);
    CHECK(fd == untouched);
}

TEST_CASE("an address that is in use or not here is XTC_E_IO, a refused Unix dial too") {
    int fd = untouched;
    uint16_t port = 0;
    REQUIRE(xtc::open_listener(XTC_NET_INET, "127.0.0.1", 0, true, nullptr, &fd, &port) == XTC_OK);
    Fd listener(fd);
    fd = untouched;
    CHECK(xtc::open_listener(XTC_NET_INET, "127.0.0.1", port, false, nullptr, &fd, nullptr) == XTC_E_IO);
    CHECK(xtc::open_listener(XTC_NET_INET, "192.0.2.1", 0, true, nullptr, &fd, nullptr) == XTC_E_IO);
    const std::string path = unix_path();
    ::unlink(path.c_str());
    int unix_fd = -1;
    REQUIRE(xtc::open_listener(XTC_NET_UNIX, path.c_str(), 0, false, nullptr, &unix_fd, nullptr) == XTC_OK);
    CHECK(xtc::open_listener(XTC_NET_UNIX, path.c_str(), 0, false, nullptr, &fd, nullptr) == XTC_E_IO);
    ::close(unix_fd);
    CHECK(xtc::open_dialled(XTC_NET_UNIX, path.c_str(), 0, nullptr, &fd) == XTC_E_IO);
    ::unlink(path.c_str());
    CHECK(fd == untouched);
}

TEST_CASE("a refused TCP dial is told by the socket or at once") {
    Listener listener;
    const int port = ntohs(listener.address.sin_port);
    listener.fd.close();
    int fd = untouched;
    const int rc = xtc::open_dialled(XTC_NET_INET, "127.0.0.1", port, nullptr, &fd);
    if (rc == XTC_OK) {
        Fd client(fd);
        CHECK(is_ready(client, POLLERR));
        CHECK(option_of(client, SOL_SOCKET, SO_ERROR) == ECONNREFUSED);
    } else {
        CHECK(rc == XTC_E_IO);
    }
}

TEST_CASE("options reach the socket, and zero leaves the system's default") {
    Fd plain(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const xtc_tcp_opts_t all = {1, 1, 1, 1, 11, 12, 13, 14'000};
    CHECK(xtc::apply_tcp_opts(socket, &all) == XTC_OK);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_NODELAY) == 1);
    CHECK(option_of(socket, SOL_SOCKET, SO_REUSEADDR) == 1);
    CHECK(option_of(socket, SOL_SOCKET, SO_REUSEPORT) == 1);
    CHECK(option_of(socket, SOL_SOCKET, SO_KEEPALIVE) == 1);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPIDLE) == 11);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPINTVL) == 12);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPCNT) == 13);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 14'000);
    const xtc_tcp_opts_t none = {};
    Fd untouched_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(xtc::apply_tcp_opts(untouched_socket, &none) == XTC_OK);
    for (const int name : {TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT}) {
        CHECK(option_of(untouched_socket, IPPROTO_TCP, name) == option_of(plain, IPPROTO_TCP, name));
    }
    CHECK(xtc::apply_tcp_opts(socket, nullptr) == XTC_E_INVAL);
    CHECK(xtc::apply_tcp_opts(-1, &none) == XTC_E_INVAL);
    CHECK(xtc::apply_tcp_opts(event(), &all) == XTC_E_INVAL);
}

TEST_CASE("any descriptor is made non-blocking, and a bad one is XTC_E_INVAL") {
    int fds[2];
    REQUIRE(::pipe2(fds, O_CLOEXEC) == 0);
    Fd reader(fds[0]);
    Fd writer(fds[1]);
    CHECK(xtc::set_nonblock(reader) == XTC_OK);
    CHECK((::fcntl(reader, F_GETFL) & O_NONBLOCK) != 0);
    CHECK(xtc::set_nonblock(reader) == XTC_OK);
    CHECK(xtc::set_nonblock(-1) == XTC_E_INVAL);
}

TEST_CASE("accept on what does not listen is XTC_E_INVAL, without descriptors left XTC_E_RESOURCE") {
    int fd = untouched;
    Pair pair = socket_pair();
    CHECK(xtc::accept_waiting(-1, &fd) == XTC_E_INVAL);
    CHECK(xtc::accept_waiting(event(), &fd) == XTC_E_INVAL);
    CHECK(xtc::accept_waiting(pair.first, &fd) == XTC_E_INVAL);
    Listener listener;
    CHECK(xtc::accept_waiting(listener.fd, nullptr) == XTC_E_INVAL);
    Fd client = listener.connect();
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
    const int accepted = xtc::accept_waiting(listener.fd, &fd);
    const int listened = xtc::open_listener(XTC_NET_INET, nullptr, 0, true, nullptr, &fd, nullptr);
    ::setrlimit(RLIMIT_NOFILE, &before);
    CHECK(accepted == XTC_E_RESOURCE);
    CHECK(listened == XTC_E_RESOURCE);
    CHECK(fd == untouched);
}
