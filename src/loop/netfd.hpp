// SPDX-License-Identifier: ISC
// Sockets as the kernel gives them: made, configured, never waited for. Everything is non-blocking and
// close-on-exec. Answers are XTC_* codes.
#pragma once

#include <cstdint>

#include <sys/socket.h>

#include "xtc_net.h"

namespace xtc {

struct SocketAddress {
    sockaddr_storage storage;
    socklen_t len = 0;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// host: numeric, "localhost", a path for XTC_NET_UNIX; NULL or "" is every address where passive.
int make_address(int fam, const char* host, int port, bool passive, SocketAddress* out);
int make_socket(int fam, const xtc_tcp_opts_t* opts, int* out_fd);
int make_listener(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd);
int bound_port(int fd, uint16_t* out_port);
int apply_tcp_opts(int fd, const xtc_tcp_opts_t& opts);

} // namespace xtc
