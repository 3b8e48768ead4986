// SPDX-License-Identifier: ISC
// C ABI of xtc_net.h.
#include <unistd.h>

#include "loop/fd_claims.hpp"
#include "loop/io.hpp"
#include "loop/loop.hpp"
#include "loop/netfd.hpp"
#include "xtc_net.h"

using namespace xtc;

namespace {

int status_of(const xtc_op_t& op) {
    if (op.res >= 0) return XTC_OK;
    return op.kind == XTC_OP_CONNECT ? connect_status(op.res) : net_status(op.res);
}

int run(Task& self, xtc_op_t& op, int64_t deadline, bool tries_first = true) {
    IoWait how;
    how.tries_first = tries_first;
    how.claims = op.kind == XTC_OP_SEND || op.kind == XTC_OP_CONNECT ? fd_claims::kWrites : fd_claims::kReads;
    switch (run_op(self, op, deadline, how)) {
    case IoEnd::done:
        return status_of(op);
    case IoEnd::timeout:
        return XTC_E_AGAIN;
    default:
        return XTC_E_ABORTED;
    }
}

} // namespace

int xtc_net_listen(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) {
    return open_listener(fam, host, port, false, opts, out_fd, nullptr);
}

int xtc_net_listen_any(int fam, const char* host, const xtc_tcp_opts_t* opts, int* out_fd,
                       uint16_t* out_port) {
    return out_port == nullptr ? XTC_E_INVAL : open_listener(fam, host, 0, true, opts, out_fd, out_port);
}

int xtc_net_dial(int fam, const char* host, int port, const xtc_tcp_opts_t* opts, int* out_fd) {
    return open_dialled(fam, host, port, opts, out_fd);
}

int xtc_net_accept(int lfd, int* out_fd) {
    return accept_waiting(lfd, out_fd);
}

int xtc_net_apply_tcp_opts(int fd, const xtc_tcp_opts_t* opts) {
    return apply_tcp_opts(fd, opts);
}

int xtc_net_setnonblock(int fd) {
    return set_nonblock(fd);
}

void xtc_net_close(int fd) {
    if (fd >= 0) close_everywhere(fd);
}

int xtc_net_read(int fd, void* buf, size_t len, int64_t timeout_ns, size_t* out_n) {
    Task* self = current_fiber();
    if (self == nullptr || fd < 0 || out_n == nullptr || (buf == nullptr && len > 0)) return XTC_E_INVAL;
    xtc_op_t op{};
    op.kind = XTC_OP_RECV;
    op.fd = fd;
    op.buf = buf;
    op.len = len;
    // After a read that was short the socket is empty most of the time: a try now would find nothing, while
    // the kernel's own, when the turn's operations are handed over, comes late enough to find the answer.
    const bool tries_first = self->drained_fd != fd;
    const int rc = run(*self, op, deadline_after(*self->loop, timeout_ns), tries_first);
    if (rc != XTC_OK) return rc;
    *out_n = static_cast<size_t>(op.res);
    self->drained_fd = *out_n < len ? fd : -1;
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
    if (self == nullptr || out_fd == nullptr) return XTC_E_INVAL;
    struct Fd { // a kill leaves by unwinding
        int fd = -1;
        ~Fd() {
            if (fd >= 0) close(fd);
        }
    } sock;
    SocketAddress addr;
    if (int rc = open_client(fam, host, port, opts, &sock.fd, &addr); rc != XTC_OK) return rc;
    xtc_op_t op{};
    op.kind = XTC_OP_CONNECT;
    op.fd = sock.fd;
    op.buf = addr.get();
    op.len = addr.length;
    if (int rc = run(*self, op, deadline_after(*self->loop, timeout_ns)); rc != XTC_OK) return rc;
    *out_fd = sock.fd;
    sock.fd = -1;
    return XTC_OK;
}
