// SPDX-License-Identifier: ISC
// `echo` with nothing in between: one thread, level-triggered epoll, one recv and one send a request.
#include <sys/epoll.h>

#include "listener.hpp"

int main() {
    bench::need_descriptors(4096);
    const int listener = bench::listen_on_loopback(true), poll = epoll_create1(EPOLL_CLOEXEC);
    auto watch = [&](int fd) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        bench::need(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
    };
    watch(listener);
    bench::announce(bench::port_of(listener));

    char buffer[4096];
    epoll_event events[256];
    for (;;) {
        const int n = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < n; ++i) {
            const int fd = events[i].data.fd;
            if (fd == listener) {
                for (int conn;
                     (conn = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
                    bench::no_delay(conn);
                    watch(conn);
                }
                continue;
            }
            const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0 || !bench::send_all(fd, buffer, got)) close(fd);
        }
    }
}
