// SPDX-License-Identifier: ISC
#include "server.hpp"

#include <string>

#include <sys/eventfd.h>
#include <xtc.h>
#include <xtc_future.h>
#include <xtc_io.h>
#include <xtc_net.h>

#include "http_connection.hpp"
#include "process.hpp"
#include "router.hpp"

namespace serve {
namespace {

constexpr std::int64_t for_ever = -1;
constexpr std::int64_t out_of_descriptors_pause_ns = 50'000'000;

} // namespace

Server::Server(xtc_exec_t* exec, Service& service, const Config& config)
    : exec_(exec), service_(service), config_(config), io_loops_(static_cast<std::size_t>(config.io_loops)) {
    for (int i = 0; i < config.io_loops; ++i)
        io_loops_[static_cast<std::size_t>(i)].loop = xtc_exec_loop(exec, i);
}

Server::~Server() {
    xtc_net_close(listen_fd_);
    xtc_notify_destroy(all_gone_);
}

xtc_loop_t* Server::device_loop() const {
    return xtc_exec_loop(exec_, xtc_exec_n_loops(exec_) - 1);
}

int Server::open() {
    if (const int status = xtc_notify_create(&all_gone_); status != XTC_OK) return status;
    const int family = config_.host.find(':') == std::string::npos ? XTC_NET_INET : XTC_NET_INET6;
    if (config_.port == 0) {
        return xtc_net_listen_any(family, config_.host.c_str(), nullptr, &listen_fd_, &port_);
    }
    port_ = config_.port;
    return xtc_net_listen(family, config_.host.c_str(), config_.port, nullptr, &listen_fd_);
}

int Server::start(int stop_fd) {
    stop_fd_ = stop_fd;
    int status = spawn(io_loops_[0].loop, "accept", [this] { accept_connections(); });
    if (status == XTC_OK) status = spawn(io_loops_[0].loop, "stop", [this] { watch_for_stop(); });
    return status;
}

void Server::accept_connections() {
    while (true) {
        int fd = -1;
        const int status = xtc_net_accept_wait(listen_fd_, for_ever, &fd);
        if (status == XTC_OK) {
            admit(fd);
        } else if (status == XTC_E_RESOURCE) {
            xtc_proc_sleep(out_of_descriptors_pause_ns);
        } else if (status != XTC_E_IO) {
            return; // closed: the server is stopping
        }
    }
}

void Server::admit(int fd) {
    IoLoop& home = io_loops_[next_loop_++ % io_loops_.size()];
    const bool room = live_.fetch_add(1) < config_.max_connections;
    const auto serve = [this, &home, fd] { serve_connection(home, fd); };
    if (room && spawn(home.loop, "connection", serve) == XTC_OK) return;
    live_.fetch_sub(1);
    service_.metrics.refused_connections.fetch_add(1);
    static constexpr std::string_view refusal = "HTTP/1.1 503 Service Unavailable\r\nConnection: "
                                                "close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    xtc_net_write(fd, refusal.data(), refusal.size(), 0, nullptr);
    xtc_net_close(fd);
}

void Server::serve_connection(IoLoop& home, int fd) {
    service_.metrics.connections_total.fetch_add(1);
    service_.metrics.connections.fetch_add(1);
    const auto place = home.connections.insert(home.connections.end(), xtc_self());
    {
        HttpConnection client(fd, service_.http_limits);
        converse(client);
    }
    home.connections.erase(place);
    service_.metrics.connections.fetch_sub(1);
    if (live_.fetch_sub(1) == 1 && service_.draining.load()) xtc_notify_signal(all_gone_);
}

void Server::converse(HttpConnection& client) {
    while (!service_.draining.load()) {
        const HttpConnection::Wake wake = client.wait_for_request();
        if (wake == HttpConnection::Wake::mail) continue; // late news of an earlier answer, or draining
        if (wake != HttpConnection::Wake::input) return;
        const auto request = client.read_request();
        if (!request) {
            if (!client.refusal()) return;
            HttpRequest unread(http::verb::get, "/", 11);
            unread.keep_alive(false);
            Exchange(service_, client, unread).answer(*client.refusal());
            return client.linger();
        }
        Exchange exchange(service_, client, *request);
        if (!dispatch(exchange) || !exchange.keep_alive()) return;
    }
}

void Server::watch_for_stop() {
    eventfd_t wishes = 0;
    while (true) {
        std::uint32_t seen = 0;
        if (xtc_proc_wait_fd(stop_fd_, XTC_IO_READABLE, for_ever, &seen) != XTC_OK) return;
        eventfd_t more = 0;
        if (eventfd_read(stop_fd_, &more) != 0) continue;
        if (drained_) return;
        if (wishes == 0) spawn(io_loops_[0].loop, "drain", [this] { drain(); });
        wishes += more;
        if (wishes > 1) spawn(device_loop(), "cancel", [this] { service_.engine.cancel_all(); });
    }
}

void Server::drain() {
    service_.draining.store(true);
    xtc_net_close(std::exchange(listen_fd_, -1));
    wake_idle_connections();
    drain_engine();
    wait_for_connections();
    drained_ = true;
    eventfd_write(stop_fd_, 1);
    if (live_.load() > 0) xtc_exec_stop(exec_); // clients that do not take their answers
}

void Server::wake_idle_connections() {
    for (IoLoop& home : io_loops_) {
        spawn(home.loop, "wake idle", [&home] {
            // A full mailbox wakes its owner as well as another message would.
            for (const xtc_pid_t pid : home.connections) (void)!xtc_send(pid, nullptr, 0);
        });
    }
}

void Server::drain_engine() {
    xtc_promise_t* promise = nullptr;
    xtc_future_t* future = nullptr;
    if (xtc_future_new_pair(&promise, &future) != XTC_OK) return;
    const auto drain = [this, promise] {
        xtc_promise_set(promise, 0, service_.engine.drain_for(config_.drain_ns));
    };
    if (spawn(device_loop(), "drain engine", drain) != XTC_OK) xtc_promise_drop(promise);
    xtc_future_await(future, nullptr);
}

void Server::wait_for_connections() {
    const std::int64_t deadline_ns = xtc_clock_mono() + config_.drain_ns;
    while (live_.load() > 0) {
        const std::int64_t left_ns = deadline_ns - xtc_clock_mono();
        if (left_ns <= 0 || xtc_notify_wait(all_gone_, left_ns) == XTC_E_AGAIN) return;
    }
}

} // namespace serve
