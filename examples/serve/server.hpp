// SPDX-License-Identifier: ISC
// The listening socket, the connections' processes on their loops, and the orderly end of both.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <vector>

#include <xtc_exec.h>
#include <xtc_proc.h>
#include <xtc_sync.h>

#include "config.hpp"
#include "service.hpp"

namespace serve {

class Server {
public:
    // Connections are served on every loop of exec but the last, which is the device's.
    Server(xtc_exec_t* exec, Service& service, const Config& config);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Before the run: listens. port() is then the real one.
    int open();
    std::uint16_t port() const { return port_; }

    // stop_fd, an eventfd, counts wishes to stop: the first drains, the next cancels what is left. When all
    // is done nothing runs any more, and the executor with nothing to do returns.
    int start(int stop_fd);

private:
    struct IoLoop {
        xtc_loop_t* loop = nullptr;
        std::list<xtc_pid_t> connections; // touched on that loop only
    };

    void accept_connections();
    void admit(int fd);
    void serve_connection(IoLoop& home, int fd);
    void converse(HttpConnection& client);
    void watch_for_stop();
    void drain();
    void wake_idle_connections();
    void drain_engine();
    void wait_for_connections();

    xtc_loop_t* device_loop() const;

    xtc_exec_t* const exec_;
    Service& service_;
    const Config& config_;
    std::vector<IoLoop> io_loops_;
    std::size_t next_loop_ = 0; // the accepting process's
    int listen_fd_ = -1;
    int stop_fd_ = -1;
    bool drained_ = false; // touched on the first loop only
    std::uint16_t port_ = 0;
    std::atomic<std::int64_t> live_ = 0;
    xtc_notify_t* all_gone_ = nullptr;
};

} // namespace serve
