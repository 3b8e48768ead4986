// SPDX-License-Identifier: ISC
// The drivers that the driver tests run over, and operations to run on them.
#pragma once

#include <catch2/catch.hpp>

#include "loop/driver_factory.hpp"
#include "loop/driver_op.hpp"
#include "loop/epoll.hpp"
#include "loop/uring_driver.hpp"

#include <xtc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace driver_tests {

// One row of the table: a way to make a driver. The rows after the first two are what older kernels get.
struct Make {
    const char* name;
    bool is_ring;
    xtc::UringKernel kernel;
};

inline const std::vector<Make> all_drivers = {
    {"uring", true, {}},
    {"epoll", false, {}},
    {"uring with 64 entries and an eventfd as its bell", true, {64, 0, false}},
    {"uring of Linux 5.19", true, {256, 1, false}},
    {"uring of Linux 5.18", true, {256, 2, false}},
    {"uring of Linux 5.11", true, {256, 3, false}},
};

inline Make any_driver() {
    return GENERATE(from_range(all_drivers.begin(), all_drivers.end()));
}

struct Op : xtc_op_t {
    Op() : xtc_op_t{} {}
    static Op poll(int fd, uint32_t events) { return make(XTC_OP_POLL, fd, events, nullptr, 0); }
    static Op recv(int fd, void* buf, size_t len) { return make(XTC_OP_RECV, fd, 0, buf, len); }
    static Op send(int fd, const void* buf, size_t len) {
        return make(XTC_OP_SEND, fd, 0, const_cast<void*>(buf), len);
    }
    static Op accept(int fd) { return make(XTC_OP_ACCEPT, fd, 0, nullptr, 0); }
    static Op connect(int fd, const void* address, size_t len) {
        return make(XTC_OP_CONNECT, fd, 0, const_cast<void*>(address), len);
    }

    bool is_done = false;

private:
    static Op make(uint8_t kind, int fd, uint32_t events, void* buf, size_t len) {
        Op op;
        op.kind = kind;
        op.fd = fd;
        op.events = events;
        op.buf = buf;
        op.len = len;
        op.res = INT64_MIN;
        op.priv[0] = op.priv[1] = ~uint64_t{0}; // the driver must not trust what it finds here
        return op;
    }
};

class Driver {
public:
    explicit Driver(const Make& make) {
        if (make.is_ring) {
            ref_ = {&xtc::UringDriver::table, new xtc::UringDriver(false, {}, make.kernel)};
        } else {
            const int rc = xtc::driver_make(xtc::Backend::epoll, {}, &ref_);
            if (rc != XTC_OK) throw std::runtime_error("no epoll driver");
        }
    }
    explicit Driver(const xtc::DriverRef& made) : ref_(made) {}
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    ~Driver() {
        // A failed assertion may leave operations behind.
        for (Op* op : std::vector<Op*>(in_flight_)) cancel(*op);
        while (!in_flight_.empty()) wait(XTC_UNTIL_NEVER);
        suspend();
        ref_.table->destroy(ref_.self);
    }

    int64_t now() { return ref_.table->now(ref_.self); }
    int try_op(Op& op) { return ref_.table->try_op(ref_.self, &op); }
    void submit(Op& op) {
        op.is_done = false;
        in_flight_.push_back(&op);
        ref_.table->submit(ref_.self, &op);
    }
    void cancel(Op& op) { ref_.table->cancel(ref_.self, &op); }
    void wake() { ref_.table->wake(ref_.self); }
    void close_fd(int fd) { ref_.table->close_fd(ref_.self, fd); }
    void suspend() { ref_.table->suspend(ref_.self); }
    int pollfd() { return ref_.table->pollfd(ref_.self); }

    // How many came back.
    size_t wait(int64_t until) {
        size_t n = 0;
        for (xtc_op_t* op = ref_.table->wait(ref_.self, until); op != nullptr; ++n) {
            xtc_op_t* next = op->next;
            auto it = std::find(in_flight_.begin(), in_flight_.end(), op);
            if (it == in_flight_.end()) throw std::logic_error("an operation came back twice");
            in_flight_.erase(it);
            static_cast<Op*>(op)->is_done = true;
            op = next;
        }
        return n;
    }
    size_t poll() { return wait(XTC_UNTIL_POLL); }

    // Until op is back; false: not within ten seconds.
    bool finish(Op& op) {
        const int64_t limit = now() + 10'000'000'000;
        while (!op.is_done && now() < limit) wait(limit);
        return op.is_done;
    }
    int64_t run(Op& op) {
        submit(op);
        return finish(op) ? op.res : INT64_MIN;
    }
    // Looks often enough that anything on its way would have come.
    bool stays_pending(Op& op) {
        for (int i = 0; i < 5 && !op.is_done; ++i) {
            poll();
            wait(now() + 1'000'000);
        }
        return !op.is_done;
    }
    size_t in_flight() const { return in_flight_.size(); }
    const xtc::DriverRef& ref() const { return ref_; }

private:
    xtc::DriverRef ref_;
    std::vector<Op*> in_flight_;
};

// A child starts with nothing in its buffers that would come out twice.
inline pid_t fork_child() {
    std::cout.flush();
    std::fflush(nullptr);
    return ::fork();
}

// A descriptor that closes itself.
class Fd {
public:
    explicit Fd(int fd) : fd_(fd) {
        if (fd < 0) throw std::runtime_error(std::string("no descriptor: ") + strerror(errno));
    }
    Fd(Fd&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
    Fd& operator=(Fd&&) = delete;
    ~Fd() { close(); }
    operator int() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void close() {
        if (fd_ >= 0) ::close(release());
    }

private:
    int fd_;
};

struct Pair {
    static Pair make(int (*make)(int[2])) {
        int fds[2] = {-1, -1};
        if (make(fds) != 0) throw std::runtime_error("no pair of descriptors");
        return {Fd(fds[0]), Fd(fds[1])};
    }
    Fd first, second;
};

inline Pair socket_pair() {
    return Pair::make(
        [](int fds[2]) { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds); });
}
// first: the reading end.
inline Pair pipe_pair() {
    return Pair::make([](int fds[2]) { return ::pipe2(fds, O_CLOEXEC | O_NONBLOCK); });
}
inline Fd event(unsigned count = 0) {
    return Fd(::eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK));
}
// An eventfd whose number nobody is given soon after it is closed, a ring that is being made included.
inline int number_out_of_the_way() {
    return ::fcntl(event(), F_DUPFD_CLOEXEC, 700);
}
inline void signal_event(int fd) {
    const uint64_t one = 1;
    if (::write(fd, &one, sizeof(one)) != sizeof(one)) throw std::runtime_error("eventfd write");
}

struct Listener {
    explicit Listener(int flags = SOCK_NONBLOCK)
        : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t len = sizeof(address);
        if (::bind(fd, sockaddr_of(address), len) != 0 || ::listen(fd, 128) != 0 ||
            ::getsockname(fd, sockaddr_of(address), &len) != 0) {
            throw std::runtime_error("no listener");
        }
    }
    static sockaddr* sockaddr_of(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }
    Fd connect() {
        Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::connect(client, sockaddr_of(address), sizeof(address)) != 0)
            throw std::runtime_error("no connection");
        return client;
    }
    sockaddr_in address{};
    Fd fd;
};

inline void fill(int socket) {
    static char block[65536];
    while (::send(socket, block, sizeof(block), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
}
inline void empty(int socket) {
    static char block[65536];
    while (::recv(socket, block, sizeof(block), MSG_DONTWAIT) > 0) {
    }
}

} // namespace driver_tests
