// SPDX-License-Identifier: ISC
#include "loop/netfd.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/io.hpp"
#include "xtc.h"

namespace xtc {
namespace {

constexpr int kBacklog = 4096; // the kernel cuts it to net.core.somaxconn

int socket_status(int err) {
    switch (err) {
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT: return XTC_E_NOSYS;
    case EADDRINUSE:
    case EADDRNOTAVAIL:
    case EACCES: return XTC_E_IO;
    default: return status_of_errno(err);
    }
}

int set_int(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value) == 0 ? XTC_OK : XTC_E_INVAL;
}

int unix_address(const char* path, SocketAddress* out) {
    auto* un = reinterpret_cast<sockaddr_un*>(&out->storage);
    const size_t n = path == nullptr ? 0 : std::strlen(path);
    if (n == 0 || n >= sizeof un->sun_path) return XTC_E_INVAL;
    un->sun_family = AF_UNIX;
    std::memcpy(un->sun_path, path, n + 1);
    out->len = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + n + 1);
    return XTC_OK;
}

int inet_address(const char* host, uint16_t port, SocketAddress* out) {
    auto* in = reinterpret_cast<sockaddr_in*>(&out->storage);
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    out->len = sizeof *in;
    if (host == nullptr) return XTC_OK; // INADDR_ANY
    if (std::strcmp(host, "localhost") == 0) host = "127.0.0.1";
    return inet_pton(AF_INET, host, &in->sin_addr) == 1 ? XTC_OK : XTC_E_INVAL;
}

int inet6_address(const char* host, uint16_t port, SocketAddress* out) {
    auto* in = reinterpret_cast<sockaddr_in6*>(&out->storage);
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    out->len = sizeof *in;
    if (host == nullptr) return XTC_OK;
    if (std::strcmp(host, "localhost") == 0) host = "::1";
    return inet_pton(AF_INET6, host, &in->sin6_addr) == 1 ? XTC_OK : XTC_E_INVAL;
}

} // namespace

int make_address(int fam, const char* host, int port, bool passive, SocketAddress* out) {
    std::memset(&out->storage, 0, sizeof out->storage);
    if (fam == XTC_NET_UNIX) return unix_address(host, out);
    if (port < 0 || port > 65535) return XTC_E_RANGE;
    if (host != nullptr && *host == '\0') host = nullptr;
    if (host == nullptr && !passive) return XTC_E_INVAL;
    if (fam == XTC_NET_INET) return inet_address(host, static_cast<uint16_t>(port), out);
    if (fam == XTC_NET_INET6) return inet6_address(host, static_cast<uint16_t>(port), out);
    return XTC_E_INVAL;
}

int apply_tcp_opts(int fd, const xtc_tcp_opts_t& o) {
    int domain = 0;
    socklen_t len = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0) return XTC_E_INVAL;
    const bool tcp = domain == AF_INET || domain == AF_INET6;
    struct {
        int value, level, name;
        bool wanted;
    } const settings[] = {
        {1, IPPROTO_TCP, TCP_NODELAY, tcp && o.nodelay != 0},
        {1, SOL_SOCKET, SO_REUSEADDR, o.reuseaddr != 0},
        {1, SOL_SOCKET, SO_REUSEPORT, tcp && o.reuseport != 0},
        {1, SOL_SOCKET, SO_KEEPALIVE, o.keepalive != 0},
        {o.keepidle_s, IPPROTO_TCP, TCP_KEEPIDLE, tcp && o.keepidle_s != 0},
        {o.keepintvl_s, IPPROTO_TCP, TCP_KEEPINTVL, tcp && o.keepintvl_s != 0},
        {o.keepcnt, IPPROTO_TCP, TCP_KEEPCNT, tcp && o.keepcnt != 0},
        {o.user_timeout_ms, IPPROTO_TCP, TCP_USER_TIMEOUT, tcp && o.user_timeout_ms != 0},
    };
    for (const auto& s : settings)
        if (s.wanted && set_int(fd, s.level, s.name, s.value) != XTC_OK) return XTC_E_INVAL;
    return XTC_OK;
}

int make_socket(int fam, const xtc_tcp_opts_t* opts, int* out_fd) {
    static constexpr xtc_tcp_opts_t kDefault = XTC_TCP_OPTS_DEFAULT;
    const int domain = fam == XTC_NET_INET ? AF_INET : fam == XTC_NET_INET6 ? AF_INET6 : AF_UNIX;
    const int fd = socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return socket_status(errno);
    if (domain == AF_INET6) (void)set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (int rc = apply_tcp_opts(fd, opts != nullptr ? *opts : kDefault); rc != XTC_OK) {
        close(fd);
        return rc;
    }
    *out_fd = fd;
    return XTC_OK;
}

int make_listener(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) {
    SocketAddress addr;
    if (int rc = make_address(fam, host, port, true, &addr); rc != XTC_OK) return rc;
    int fd = -1;
    if (int rc = make_socket(fam, opts, &fd); rc != XTC_OK) return rc;
    if (bind(fd, addr.get(), addr.len) != 0 || listen(fd, kBacklog) != 0) {
        const int err = errno;
        close(fd);
        return socket_status(err);
    }
    *out_fd = fd;
    return XTC_OK;
}

int bound_port(int fd, uint16_t* out_port) {
    SocketAddress addr;
    addr.len = sizeof addr.storage;
    if (getsockname(fd, addr.get(), &addr.len) != 0) return status_of_errno(errno);
    switch (addr.storage.ss_family) {
    case AF_INET: *out_port = ntohs(reinterpret_cast<sockaddr_in*>(&addr.storage)->sin_port); break;
    case AF_INET6: *out_port = ntohs(reinterpret_cast<sockaddr_in6*>(&addr.storage)->sin6_port); break;
    default: *out_port = 0;
    }
    return XTC_OK;
}

} // namespace xtc
