// SPDX-License-Identifier: ISC
// The socket calls every bare echo server makes, and the one line that tells the load generator the port.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "sample.hpp"

namespace bench {

inline void announce(std::uint16_t port) {
    std::printf("port %u\n", unsigned{port});
    std::fflush(stdout);
}

inline std::uint16_t port_of(int fd) {
    sockaddr_in addr{};
    socklen_t len = sizeof addr;
    need(getsockname(fd, reinterpret_cast<sockaddr*>(&addr), &len) == 0, "getsockname");
    return ntohs(addr.sin_port);
}

inline int listen_on_loopback(bool nonblocking) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
    sockaddr_in addr{};
    addr.sin_family = AF_INET;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&addr), sizeof addr) == 0 && listen(fd, 2048) == 0,
         "listen on 127.0.0.1");
    return fd;
}

inline void no_delay(int fd) {
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

// A bare echo server serves requests far smaller than a socket's buffer: a short send is its end.
inline bool send_all(int fd, const char* data, ssize_t len) {
    return send(fd, data, len, MSG_NOSIGNAL) == len;
}

} // namespace bench
