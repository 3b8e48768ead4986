// SPDX-License-Identifier: ISC
// Sockets by plain system calls that never wait: what xtc_net(3) is made of below the fibers. Every
// descriptor made here is non-blocking and close-on-exec. Status codes are those of xtc_net.h.
#pragma once

#include <xtc_net.h>

#include <cstdint>
#include <sys/socket.h>

namespace xtc {

struct SocketAddress {
    sockaddr_storage storage;
    socklen_t length;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

enum class HostUse {
    bind,   // NULL and "" mean every address
    connect // a host is needed
};

// A numeric address (IPv6 with or without %interface), "localhost", or the path of a Unix socket, which has
// no port. XTC_OK, XTC_E_INVAL or XTC_E_RANGE; port 0 is taken.
int make_address(int family, const char* host, int port, HostUse use, SocketAddress* out) noexcept;

// Listens. Port 0 is XTC_E_INVAL unless `any_port`. out_port may be NULL.
int open_listener(int family, const char* host, int port, bool any_port, const xtc_tcp_opts_t* opts,
                  int* out_fd, uint16_t* out_port) noexcept;

// A socket with its options set and the address to connect it to; does not connect.
int open_client(int family, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd,
                SocketAddress* out_address) noexcept;

// open_client, and the connection has begun or is made.
int open_dialled(int family, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) noexcept;

int accept_waiting(int lfd, int* out_fd) noexcept;
int apply_tcp_opts(int fd, const xtc_tcp_opts_t* opts) noexcept;
int set_nonblock(int fd) noexcept;

// What an operation's negative result means to the caller of a net call.
int net_status(int64_t result) noexcept;
// The same for a CONNECT: its ports may run out.
int connect_status(int64_t result) noexcept;

} // namespace xtc
