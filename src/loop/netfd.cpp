// SPDX-License-Identifier: ISC
#include "loop/netfd.hpp"

#include "loop/driver_op.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/un.h>
#include <unistd.h>

namespace xtc {

namespace {

constexpr xtc_tcp_opts_t default_opts = XTC_TCP_OPTS_DEFAULT;
constexpr int highest_port = 65535;

class Socket {
public:
    explicit Socket(int family) : fd_(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    int release() {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }

private:
    int fd_;
};

template <class Address> Address* start_address(SocketAddress* out) {
    out->storage = {};
    out->length = sizeof(Address);
    return reinterpret_cast<Address*>(&out->storage);
}

int make_inet(std::string_view host, int port, SocketAddress* out) {
    auto* address = start_address<sockaddr_in>(out);
    address->sin_family = AF_INET;
    address->sin_port = htons(static_cast<uint16_t>(port));
    address->sin_addr.s_addr = htonl(host == "localhost" ? INADDR_LOOPBACK : INADDR_ANY);
    if (host.empty() || host == "localhost") return XTC_OK;
    return ::inet_pton(AF_INET, host.data(), &address->sin_addr) == 1 ? XTC_OK : XTC_E_INVAL;
}

// "%eth0" or "%2"; 0: none such.
uint32_t interface_of(const char* name) {
    const uint32_t index = ::if_nametoindex(name);
    if (index != 0) return index;
    char* end = nullptr;
    const unsigned long number = std::strtoul(name, &end, 10);
    return name[0] >= '0' && name[0] <= '9' && *end == '\0' && number <= UINT32_MAX
               ? static_cast<uint32_t>(number)
               : 0;
}

int make_inet6(std::string_view host, int port, SocketAddress* out) {
    auto* address = start_address<sockaddr_in6>(out);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<uint16_t>(port));
    address->sin6_addr = host == "localhost" ? in6addr_loopback : in6addr_any;
    if (host.empty() || host == "localhost") return XTC_OK;
    const std::string_view digits = host.substr(0, host.find('%'));
    char numeric[INET6_ADDRSTRLEN] = {};
    if (digits.size() >= sizeof(numeric)) return XTC_E_INVAL;
    std::copy(digits.begin(), digits.end(), numeric);
    if (::inet_pton(AF_INET6, numeric, &address->sin6_addr) != 1) return XTC_E_INVAL;
    if (digits.size() == host.size()) return XTC_OK;
    address->sin6_scope_id = interface_of(host.data() + digits.size() + 1);
    return address->sin6_scope_id != 0 ? XTC_OK : XTC_E_INVAL;
}

int make_unix(std::string_view path, SocketAddress* out) {
    auto* address = start_address<sockaddr_un>(out);
    if (path.empty() || path.size() >= sizeof(address->sun_path)) return XTC_E_INVAL;
    address->sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address->sun_path);
    out->length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    return XTC_OK;
}

bool set_option(int fd, int level, int name, int value) {
    return ::setsockopt(fd, level, name, &value, sizeof(value)) == 0;
}

int check_opts(const xtc_tcp_opts_t& opts) {
    const int all[] = {opts.nodelay,    opts.reuseaddr,   opts.reuseport, opts.keepalive,
                       opts.keepidle_s, opts.keepintvl_s, opts.keepcnt,   opts.user_timeout_ms};
    return *std::min_element(std::begin(all), std::end(all)) < 0 ? XTC_E_INVAL : XTC_OK;
}

// Checks, makes the socket and sets its options, in the order in which a caller wants to hear of mistakes.
int prepare(int family, const char* host, int port, bool any_port, HostUse use, const xtc_tcp_opts_t* opts,
            int* out_fd, SocketAddress* address) {
    const xtc_tcp_opts_t& wanted = opts != nullptr ? *opts : default_opts;
    int rc = make_address(family, host, port, use, address);
    if (rc != XTC_OK) return rc;
    if (family != XTC_NET_UNIX && port == 0 && !any_port) return XTC_E_INVAL;
    if (check_opts(wanted) != XTC_OK) return XTC_E_INVAL;
    Socket socket(address->storage.ss_family);
    if (socket.get() < 0) return net_status(-errno);
    if (family != XTC_NET_UNIX) rc = apply_tcp_opts(socket.get(), &wanted);
    if (rc == XTC_OK) *out_fd = socket.release();
    return rc;
}

} // namespace

int make_address(int family, const char* host, int port, HostUse use, SocketAddress* out) noexcept {
    const std::string_view name = host != nullptr ? host : "";
    if (name.empty() && use == HostUse::connect) return XTC_E_INVAL;
    if (family == XTC_NET_UNIX) return make_unix(name, out);
    if (family != XTC_NET_INET && family != XTC_NET_INET6) return XTC_E_INVAL;
    if (port < 0 || port > highest_port) return XTC_E_RANGE;
    return family == XTC_NET_INET ? make_inet(name, port, out) : make_inet6(name, port, out);
}

int open_listener(int family, const char* host, int port, bool any_port, const xtc_tcp_opts_t* opts,
                  int* out_fd, uint16_t* out_port) noexcept {
    if (out_fd == nullptr) return XTC_E_INVAL;
    SocketAddress address;
    int fd = -1;
    const int rc = prepare(family, host, port, any_port, HostUse::bind, opts, &fd, &address);
    if (rc != XTC_OK) return rc;
    const bool is_listening =
        ::bind(fd, address.get(), address.length) == 0 && ::listen(fd, SOMAXCONN) == 0 &&
        ::getsockname(fd, address.get(), &(address.length = sizeof(address.storage))) == 0;
    if (!is_listening) {
        const int status = net_status(-errno);
        ::close(fd);
        // Whatever was wrong with the arguments has been said: the address is in use, not here or not ours.
        return status == XTC_E_INVAL ? XTC_E_IO : status;
    }
    *out_fd = fd;
    if (out_port != nullptr) {
        const auto* inet = reinterpret_cast<const sockaddr_in*>(&address.storage);
        const auto* inet6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
        *out_port = 0;
        if (family == XTC_NET_INET) *out_port = ntohs(inet->sin_port);
        if (family == XTC_NET_INET6) *out_port = ntohs(inet6->sin6_port);
    }
    return XTC_OK;
}

int open_client(int family, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd,
                SocketAddress* out_address) noexcept {
    if (out_fd == nullptr) return XTC_E_INVAL;
    return prepare(family, host, port, false, HostUse::connect, opts, out_fd, out_address);
}

int open_dialled(int family, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) noexcept {
    SocketAddress address;
    int fd = -1;
    const int rc = out_fd != nullptr ? open_client(family, host, port, opts, &fd, &address) : XTC_E_INVAL;
    if (rc != XTC_OK) return rc;
    if (::connect(fd, address.get(), address.length) != 0 && errno != EINPROGRESS) {
        const int status = connect_status(-errno);
        ::close(fd);
        // A Unix listener whose backlog is full cannot be waited for.
        return status == XTC_E_AGAIN || status == XTC_E_INVAL ? XTC_E_IO : status;
    }
    *out_fd = fd;
    return XTC_OK;
}

int accept_waiting(int lfd, int* out_fd) noexcept {
    if (out_fd == nullptr) return XTC_E_INVAL;
    for (;;) {
        xtc_op_t op{};
        op.kind = XTC_OP_ACCEPT;
        op.fd = lfd;
        if (!perform_now(&op, false)) return XTC_E_AGAIN;
        if (op.res == -ECONNABORTED) continue; // that client has gone; there may be another
        if (op.res < 0) return net_status(op.res);
        *out_fd = static_cast<int>(op.res);
        return XTC_OK;
    }
}

int apply_tcp_opts(int fd, const xtc_tcp_opts_t* opts) noexcept {
    if (opts == nullptr || check_opts(*opts) != XTC_OK) return XTC_E_INVAL;
    const struct {
        int wanted, level, name;
        bool is_switch;
    } all[] = {
        {opts->nodelay, IPPROTO_TCP, TCP_NODELAY, true},
        {opts->reuseaddr, SOL_SOCKET, SO_REUSEADDR, true},
        {opts->reuseport, SOL_SOCKET, SO_REUSEPORT, true},
        {opts->keepalive, SOL_SOCKET, SO_KEEPALIVE, true},
        {opts->keepidle_s, IPPROTO_TCP, TCP_KEEPIDLE, false},
        {opts->keepintvl_s, IPPROTO_TCP, TCP_KEEPINTVL, false},
        {opts->keepcnt, IPPROTO_TCP, TCP_KEEPCNT, false},
        {opts->user_timeout_ms, IPPROTO_TCP, TCP_USER_TIMEOUT, false},
    };
    if (::fcntl(fd, F_GETFD) < 0) return XTC_E_INVAL;
    for (const auto& option : all) {
        if (option.wanted == 0) continue;
        if (!set_option(fd, option.level, option.name, option.is_switch ? 1 : option.wanted))
            return XTC_E_INVAL;
    }
    return XTC_OK;
}

int set_nonblock(int fd) noexcept {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return XTC_E_INVAL;
    if ((flags & O_NONBLOCK) != 0) return XTC_OK;
    return ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? XTC_OK : XTC_E_INVAL;
}

int net_status(int64_t result) noexcept {
    if (result >= 0) return XTC_OK;
    switch (-result) {
    case EBADF:
    case EBUSY: // somebody else reads, or writes
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
    case ENOTCONN:
    case EFAULT:
    case EDESTADDRREQ:
        return XTC_E_INVAL;
    case EAGAIN:
        return XTC_E_AGAIN;
    case ECANCELED:
    case ECONNABORTED: // close_fd
        return XTC_E_ABORTED;
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
        return XTC_E_NOSYS;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return XTC_E_RESOURCE;
    default:
        return XTC_E_IO;
    }
}

int connect_status(int64_t result) noexcept {
    return result == -EADDRNOTAVAIL ? XTC_E_RESOURCE : net_status(result);
}

} // namespace xtc
