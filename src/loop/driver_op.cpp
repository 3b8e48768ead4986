// SPDX-License-Identifier: ISC
#include "loop/driver_op.hpp"

#include "base/assert.hpp"
#include "base/time.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace xtc {

namespace {

// Linux moves at most this much at a time, and an SQE has 32 bits for the length.
constexpr size_t longest_transfer = 0x7ffff000;

size_t transfer_length(const xtc_op_t* op) { return op->len < longest_transfer ? op->len : longest_transfer; }

bool is_would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

bool finish(xtc_op_t* op, int64_t result) {
    op->res = result;
    return true;
}

bool finish_transfer(xtc_op_t* op, ssize_t moved) {
    if (moved >= 0) return finish(op, moved);
    return is_would_block(errno) ? false : finish(op, -errno);
}

// accept and connect have no flag that says "do not wait"; only the file has one.
void stop_blocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0) ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

bool poll_now(xtc_op_t* op) {
    pollfd one{op->fd, static_cast<short>(op->events & 0x7fff), 0};
    if (::poll(&one, 1, 0) <= 0) return false;
    if ((one.revents & POLLNVAL) != 0) return finish(op, -EBADF);
    return finish(op, one.revents);
}

bool connect_now(xtc_op_t* op, bool again) {
    stop_blocking(op->fd);
    if (::connect(op->fd, static_cast<const sockaddr*>(op->buf), static_cast<socklen_t>(op->len)) == 0) {
        return finish(op, 0);
    }
    // A second call tells how the first went on: in progress, done, or the error that ended it.
    if (errno == EINPROGRESS || errno == EALREADY || errno == EINTR) return false;
    if (errno == EISCONN && again) return finish(op, 0);
    return finish(op, -errno);
}

} // namespace

int64_t monotonic_now() noexcept {
    return kernel_mono();
}

int check_pollable(int fd) noexcept {
    struct stat file {};
    if (::fstat(fd, &file) != 0) return -errno;
    switch (file.st_mode & S_IFMT) {
    case S_IFSOCK:
    case S_IFIFO:
    case S_IFCHR:
    case 0: // anonymous inode: eventfd, timerfd, epoll, pidfd
        return 0;
    default:
        return -EINVAL;
    }
}

bool perform_now(xtc_op_t* op, bool again) noexcept {
    switch (op->kind) {
    case XTC_OP_POLL:
        return poll_now(op);
    case XTC_OP_RECV:
        return finish_transfer(op, ::recv(op->fd, op->buf, transfer_length(op), MSG_DONTWAIT));
    case XTC_OP_SEND:
        return finish_transfer(op, ::send(op->fd, op->buf, transfer_length(op), MSG_DONTWAIT | MSG_NOSIGNAL));
    case XTC_OP_ACCEPT: {
        stop_blocking(op->fd);
        return finish_transfer(op, ::accept4(op->fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    }
    case XTC_OP_CONNECT:
        return connect_now(op, again);
    }
    XTC_UNREACHABLE();
}

uint32_t readiness_of(const xtc_op_t* op) noexcept {
    switch (op->kind) {
    case XTC_OP_POLL:
        return op->events & 0x7fff;
    case XTC_OP_RECV:
    case XTC_OP_ACCEPT:
        return POLLIN;
    default:
        return POLLOUT;
    }
}

int try_op(xtc_op_t* op) noexcept {
    if (op->kind == XTC_OP_POLL) {
        const int refused = check_pollable(op->fd);
        if (refused != 0) return finish(op, refused);
    }
    return perform_now(op, false) ? 1 : 0;
}

} // namespace xtc
