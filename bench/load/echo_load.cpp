// SPDX-License-Identifier: ISC
// The load for every echo server: starts the server on one CPU, and from another drives N connections in a
// closed loop of 64-byte requests over loopback, checks each reply, and prints rate and latency.
#include <algorithm>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.hpp"

namespace {

constexpr std::size_t request_size = 64;

class Server {
public:
    Server(const std::vector<std::string>& command, int cpu) {
        int fds[2];
        bench::need(pipe2(fds, O_CLOEXEC) == 0, "pipe");
        pid_ = fork();
        bench::need(pid_ >= 0, "fork");
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bench::pin_thread(cpu);
            dup2(fds[1], STDOUT_FILENO);
            std::vector<char*> argv;
            for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
            argv.push_back(nullptr);
            execv(argv[0], argv.data());
            _exit(127);
        }
        close(fds[1]);
        std::FILE* lines = fdopen(fds[0], "r");
        unsigned port = 0;
        if (std::fscanf(lines, "port %u", &port) != 1) stop("the server did not start: " + command[0]);
        port_ = static_cast<std::uint16_t>(port);
    }
    ~Server() { end(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const { return port_; }

    // User and system time so far, from the scheduler's own account (nanoseconds).
    std::uint64_t cpu_ns() const {
        std::uint64_t ns = 0;
        std::FILE* f = std::fopen(("/proc/" + std::to_string(pid_) + "/schedstat").c_str(), "re");
        if (!f || std::fscanf(f, "%" SCNu64, &ns) != 1) ns = 0;
        if (f) std::fclose(f);
        return ns;
    }

    [[noreturn]] void stop(const std::string& why) {
        end();
        bench::fail(why);
    }

private:
    void end() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

    pid_t pid_ = 0;
    std::uint16_t port_ = 0;
};

struct Connection {
    int fd = -1;
    std::uint64_t sequence = 0;
    std::int64_t sent_at = 0;
    std::size_t got = 0;
    char request[request_size], reply[request_size];
};

class Load {
public:
    Load(Server& server, std::size_t connections, std::uint64_t warm, std::uint64_t work)
        : server_(server), connections_(connections), warm_(warm), total_(warm + work) {
        latencies_.reserve(work);
        poll_ = epoll_create1(EPOLL_CLOEXEC);
        for (std::size_t i = 0; i < connections; ++i) connect_one(i);
    }

    void run(std::int64_t max_ns) {
        const std::int64_t begun = bench::now_ns();
        started_ = begun;
        for (std::size_t i = 0; i < connections_.size(); ++i) issue(i);
        epoll_event events[256];
        while (done_ < total_) {
            const int n = epoll_wait(poll_, events, 256, 1000);
            for (int i = 0; i < n; ++i) receive(events[i].data.u64);
            if (bench::now_ns() - begun > max_ns) break;
        }
        ended_ = bench::now_ns();
        server_end_ = server_.cpu_ns();
    }

    void report(const bench::Options& opts) {
        const std::uint64_t measured = latencies_.size();
        if (measured == 0) server_.stop("no reply within the time allowed");
        auto at = [&](double q) {
            auto it = latencies_.begin() + static_cast<std::ptrdiff_t>(q * double(measured - 1));
            std::nth_element(latencies_.begin(), it, latencies_.end());
            return double(*it) / 1e3;
        };
        const double seconds = double(ended_ - started_) / 1e9;
        bench::print({"echo",
                      opts.text("side", "?"),
                      opts.text("variant", "1"),
                      "requests/s",
                      double(measured) / seconds,
                      measured,
                      checksum_,
                      {{"p50_us", at(0.50)},
                       {"p99_us", at(0.99)},
                       {"server_cpu_us", double(server_end_ - server_start_) / double(measured) / 1e3}}});
    }

private:
    void connect_one(std::size_t i) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in addr{};
        addr.sin_family = AF_INET;
        addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        addr.sin_port = htons(server_.port());
        if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&addr), sizeof addr) != 0)
            server_.stop(std::string("connect: ") + std::strerror(errno));
        const int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        fcntl(fd, F_SETFL, O_NONBLOCK);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
        connections_[i].fd = fd;
    }

    void issue(std::size_t i) {
        if (issued_ == total_) return;
        Connection& c = connections_[i];
        c.sequence = issued_++;
        c.got = 0;
        std::memset(c.request, static_cast<int>(c.sequence % 251), request_size);
        std::memcpy(c.request, &c.sequence, sizeof c.sequence);
        c.sent_at = bench::now_ns();
        if (send(c.fd, c.request, request_size, MSG_NOSIGNAL) != ssize_t{request_size})
            server_.stop(std::string("send: ") + std::strerror(errno));
    }

    void receive(std::size_t i) {
        Connection& c = connections_[i];
        const ssize_t n = recv(c.fd, c.reply + c.got, request_size - c.got, 0);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) server_.stop("the server closed a connection");
        c.got += static_cast<std::size_t>(n);
        if (c.got < request_size) return;
        if (std::memcmp(c.request, c.reply, request_size) != 0)
            server_.stop("a reply differs from its request");
        if (++done_ > warm_) {
            const std::int64_t took = bench::now_ns() - c.sent_at;
            latencies_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(took, UINT32_MAX)));
        }
        checksum_ += c.sequence;
        if (done_ == warm_) {
            started_ = bench::now_ns();
            server_start_ = server_.cpu_ns();
        }
        issue(i);
    }

    Server& server_;
    std::vector<Connection> connections_;
    std::uint64_t warm_, total_, issued_ = 0, done_ = 0, checksum_ = 0, server_start_ = 0, server_end_ = 0;
    std::int64_t started_ = 0, ended_ = 0;
    std::vector<std::uint32_t> latencies_;
    int poll_ = -1;
};

std::vector<std::string> words(const std::string& line) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find('|', at), line.size());
        out.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 100'000);
    const auto connections = static_cast<std::size_t>(opts.number("variant", 1));
    if (work == 0 || connections == 0) bench::fail("nothing to do");
    bench::need_descriptors(connections + 64);
    const auto cpus = bench::some_cpus(2);
    Server server(words(opts.text("server", "")), cpus[0]);
    bench::pin_thread(cpus[1]);
    Load load(server, connections, work / 10 + connections, work);
    load.run(static_cast<std::int64_t>(opts.number("max-seconds", 30)) * 1'000'000'000);
    load.report(opts);
}
