// SPDX-License-Identifier: ISC
// `echo`: a process for each connection that reads and writes back, on one loop.
#include <xtc_net.h>

#include "solo.hpp"

namespace {

void serve(void* arg) {
    const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(arg));
    char buffer[4096];
    std::size_t got = 0;
    while (xtc_net_read(fd, buffer, sizeof buffer, -1, &got) == XTC_OK && got > 0)
        if (xtc_net_write(fd, buffer, got, -1, nullptr) != XTC_OK) break;
    xtc_net_close(fd);
}

} // namespace

int main() {
    bench::need_descriptors(4096);
    const xtc_tcp_opts_t tcp = XTC_TCP_OPTS_DEFAULT;
    bench::Solo loop;
    auto acceptor = [&] {
        int listener = -1;
        std::uint16_t port = 0;
        bench::ok(xtc_net_listen_any(XTC_NET_INET, "127.0.0.1", &tcp, &listener, &port),
                  "xtc_net_listen_any");
        std::printf("port %u\n", unsigned{port});
        std::fflush(stdout);
        for (int conn = -1;;) {
            bench::ok(xtc_net_accept_wait(listener, -1, &conn), "xtc_net_accept_wait");
            bench::ok(xtc_net_apply_tcp_opts(conn, &tcp), "xtc_net_apply_tcp_opts");
            void* arg = reinterpret_cast<void*>(static_cast<std::intptr_t>(conn));
            bench::ok(xtc_proc_spawn(loop.get(), serve, arg, nullptr, nullptr), "xtc_proc_spawn");
        }
    };
    bench::start(loop.get(), acceptor);
    loop.run();
}
