// SPDX-License-Identifier: ISC
// C ABI of xtc_net.h.
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "loop/io.hpp"
#include "loop/loop.hpp"
#include "loop/netfd.hpp"
#include "xtc_net.h"

using namespace xtc;

namespace {

int failure_of(const xtc_op_t& op) { return op.res < 0 ? status_of_errno(static_cast<int>(-op.res)) : XTC_OK; }

int run(Task& self, xtc_op_t& op, int64_t deadline) {
    switch (run_op(self, op, deadline)) {
    case IoEnd::done: return failure_of(op);
    case IoEnd::timeout: return XTC_E_AGAIN;
    default: return XTC_E_ABORTED;
    }
}

} // namespace

int xtc_net_listen(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) {
    if (out_fd == nullptr || (fam != XTC_NET_UNIX && port == 0)) return XTC_E_INVAL;
    return make_listener(fam, host, port, opts, out_fd);
}

int xtc_net_listen_any(int fam, const char* host, const xtc_tcp_opts_t* opts, int* out_fd, uint16_t* out_port) {
    if (out_fd == nullptr || out_port == nullptr) return XTC_E_INVAL;
    int fd = -1;
    if (int rc = make_listener(fam, host, 0, opts, &fd); rc != XTC_OK) return rc;
    if (int rc = bound_port(fd, out_port); rc != XTC_OK) {
        close(fd);
        return rc;
    }
    *out_fd = fd;
    return XTC_OK;
}

int xtc_net_dial(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) {
    if (out_fd == nullptr || host == nullptr || (fam != XTC_NET_UNIX && port == 0)) return XTC_E_INVAL;
    SocketAddress addr;
    if (int rc = make_address(fam, host, port, false, &addr); rc != XTC_OK) return rc;
    int fd = -1;
    if (int rc = make_socket(fam, opts, &fd); rc != XTC_OK) return rc;
    if (connect(fd, addr.get(), addr.len) != 0 && errno != EINPROGRESS) {
        const int err = errno;
        close(fd);
        return err == EAGAIN ? XTC_E_RESOURCE : status_of_errno(err);
    }
    *out_fd = fd;
    return XTC_OK;
}

int xtc_net_accept(int lfd, int* out_fd) {
    if (out_fd == nullptr) return XTC_E_INVAL;
    const int fd = accept4(lfd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return errno == ECONNABORTED ? XTC_E_AGAIN : status_of_errno(errno);
    *out_fd = fd;
    return XTC_OK;
}

int xtc_net_apply_tcp_opts(int fd, const xtc_tcp_opts_t* opts) {
    return opts == nullptr ? XTC_E_INVAL : apply_tcp_opts(fd, *opts);
}

int xtc_net_setnonblock(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return XTC_E_INVAL;
    return XTC_OK;
}

void xtc_net_close(int fd) {
    if (fd < 0) return;
    Loop* here = current_loop();
    if (here != nullptr)
        here->driver_table()->close_fd(here->driver_self(), fd);
    else
        close(fd);
}

int xtc_net_read(int fd, void* buf, size_t len, int64_t timeout_ns, size_t* out_n) {
    Task* self = current_fiber();
    if (self == nullptr || fd < 0 || out_n == nullptr || (buf == nullptr && len > 0)) return XTC_E_INVAL;
    xtc_op_t op{};
    op.kind = XTC_OP_RECV;
    op.fd = fd;
    op.buf = buf;
    op.len = len;
    const int rc = run(*self, op, deadline_after(*self->loop, timeout_ns));
    if (rc == XTC_OK) *out_n = static_cast<size_t>(op.res);
    return rc;
}

int xtc_net_write(int fd, const void* buf, size_t len, int64_t timeout_ns, size_t* out_n) {
    Task* self = current_fiber();
    if (self == nullptr || fd < 0 || (buf == nullptr && len > 0)) return XTC_E_INVAL;
    const int64_t deadline = deadline_after(*self->loop, timeout_ns);
    size_t sent = 0;
    int rc = XTC_OK;
    while (sent < len && rc == XTC_OK) {
        xtc_op_t op{};
        op.kind = XTC_OP_SEND;
        op.fd = fd;
        op.buf = const_cast<char*>(static_cast<const char*>(buf)) + sent;
        op.len = len - sent;
        rc = run(*self, op, deadline);
        if (rc == XTC_OK) sent += static_cast<size_t>(op.res);
    }
    if (out_n != nullptr) *out_n = sent;
    return rc;
}

int xtc_net_accept_wait(int lfd, int64_t timeout_ns, int* out_fd) {
    Task* self = current_fiber();
    if (self == nullptr || lfd < 0 || out_fd == nullptr) return XTC_E_INVAL;
    xtc_op_t op{};
    op.kind = XTC_OP_ACCEPT;
    op.fd = lfd;
    const int rc = run(*self, op, deadline_after(*self->loop, timeout_ns));
    if (rc == XTC_OK) *out_fd = static_cast<int>(op.res);
    return rc;
}

int xtc_net_connect(int fam, const char* host, uint16_t port, const xtc_tcp_opts_t* opts, int64_t timeout_ns,
                    int* out_fd) {
    Task* self = current_fiber();
    if (self == nullptr || host == nullptr || out_fd == nullptr || (fam != XTC_NET_UNIX && port == 0))
        return XTC_E_INVAL;
    SocketAddress addr;
    if (int rc = make_address(fam, host, port, false, &addr); rc != XTC_OK) return rc;
    struct Fd { // a kill leaves by unwinding
        int fd = -1;
        ~Fd() {
            if (fd >= 0) close(fd);
        }
    } sock;
    if (int rc = make_socket(fam, opts, &sock.fd); rc != XTC_OK) return rc;
    xtc_op_t op{};
    op.kind = XTC_OP_CONNECT;
    op.fd = sock.fd;
    op.buf = addr.get();
    op.len = addr.len;
    if (int rc = run(*self, op, deadline_after(*self->loop, timeout_ns)); rc != XTC_OK) return rc;
    *out_fd = sock.fd;
    sock.fd = -1;
    return XTC_OK;
}
