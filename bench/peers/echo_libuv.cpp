// SPDX-License-Identifier: ISC
// `echo` on libuv: one loop; a reply is tried at once with uv_try_write, as its users do.
#include <uv.h>

#include "listener.hpp"

namespace {

char shared_buffer[65536];

void lend_buffer(uv_handle_t*, size_t, uv_buf_t* out) {
    *out = uv_buf_init(shared_buffer, sizeof shared_buffer);
}

void drop(uv_handle_t* handle) {
    delete reinterpret_cast<uv_tcp_t*>(handle);
}

void on_read(uv_stream_t* stream, ssize_t got, const uv_buf_t* buf) {
    if (got == 0) return;
    uv_buf_t reply = uv_buf_init(buf->base, got > 0 ? static_cast<unsigned>(got) : 0);
    if (got < 0 || uv_try_write(stream, &reply, 1) != got)
        uv_close(reinterpret_cast<uv_handle_t*>(stream), drop);
}

void on_connection(uv_stream_t* server, int status) {
    if (status < 0) return;
    auto* conn = new uv_tcp_t;
    uv_tcp_init(server->loop, conn);
    auto* stream = reinterpret_cast<uv_stream_t*>(conn);
    uv_accept(server, stream);
    uv_tcp_nodelay(conn, 1);
    uv_read_start(stream, lend_buffer, on_read);
}

} // namespace

int main() {
    bench::need_descriptors(4096);
    uv_loop_t* loop = uv_default_loop();
    uv_tcp_t server;
    sockaddr_in addr{};
    uv_ip4_addr("127.0.0.1", 0, &addr);
    uv_tcp_init(loop, &server);
    uv_tcp_bind(&server, reinterpret_cast<sockaddr*>(&addr), 0);
    if (uv_listen(reinterpret_cast<uv_stream_t*>(&server), 2048, on_connection) != 0)
        bench::fail("uv_listen");
    int len = sizeof addr;
    uv_tcp_getsockname(&server, reinterpret_cast<sockaddr*>(&addr), &len);
    bench::announce(ntohs(addr.sin_port));
    uv_run(loop, UV_RUN_DEFAULT);
}
