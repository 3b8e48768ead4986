// SPDX-License-Identifier: ISC
// The system calls of a wait, counted by tracing a child.
#include "loop/driver_fixture.hpp"
#include "support/loops.hpp"

#include <xtc_net.h>

#include <map>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace driver_tests;

namespace {

// Between the two calls that say so.
void mark() {
    ::syscall(SYS_getppid);
}

// How often each call was made between the marks; empty: the child failed.
std::map<long, int> count_calls(const std::function<void()>& body) {
    const pid_t child = fork_child();
    if (child == 0) {
        ::alarm(20);
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        body();
        ::_exit(0);
    }
    std::map<long, int> calls;
    int status = 0;
    ::waitpid(child, &status, 0);
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
    bool is_counting = false;
    for (;;) {
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
        __ptrace_syscall_info info{};
        ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info);
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
        const auto call = static_cast<long>(info.entry.nr);
        if (call == SYS_getppid)
            is_counting = !is_counting;
        else if (is_counting)
            ++calls[call];
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {{-1, status}};
    return calls;
}

using Calls = std::map<long, int>;

} // namespace

TEST_CASE("a look without sleep makes no system call when nothing has happened") {
    for (const Make& make : {all_drivers[0], all_drivers[2], all_drivers[5]}) {
        CAPTURE(make.name);
        CHECK(count_calls([&] {
                  Driver driver(make);
                  Fd silent = event();
                  Op op = Op::poll(silent, POLLIN);
                  mark();
                  for (int i = 0; i < 10; ++i) driver.poll(); // no ring yet
                  mark();
                  driver.submit(op);
                  driver.wait(driver.now() + 1'000'000);
                  driver.poll();
                  mark();
                  for (int i = 0; i < 10; ++i) driver.poll();
                  driver.wake(); // the owner is awake
                  driver.poll();
                  mark();
                  ::_exit(0);
              }) == Calls{});
    }
}

TEST_CASE("epoll looks without a system call when nothing is waited for") {
    CHECK(count_calls([] {
              Driver driver(all_drivers[1]);
              mark();
              for (int i = 0; i < 10; ++i) driver.poll();
              driver.wake();
              driver.poll();
              mark();
              ::_exit(0);
          }) == Calls{});
}

TEST_CASE("one io_uring_enter hands over all that was started and cancelled, and sleeps") {
    CHECK(count_calls([] {
              Driver driver(all_drivers[0]);
              std::vector<Fd> fds;
              std::vector<Op> ops;
              char buf[4];
              Pair pair = socket_pair();
              for (int i = 0; i < 100; ++i) ops.push_back(Op::recv(pair.first, buf, sizeof(buf)));
              for (int i = 0; i < 50; ++i) driver.submit(ops[static_cast<size_t>(i)]);
              driver.wait(driver.now() + 1'000'000);
              mark();
              for (int i = 50; i < 100; ++i) driver.submit(ops[static_cast<size_t>(i)]);
              for (int i = 10; i < 50; ++i) driver.cancel(ops[static_cast<size_t>(i)]);
              if (driver.wait(XTC_UNTIL_NEVER) != 40) ::_exit(1);
              mark();
              ::_exit(0);
          }) == (Calls{{SYS_io_uring_enter, 1}}));
}

TEST_CASE("a sleep is one system call, also when a sleep before it ended by its time") {
    struct Row {
        Make make;
        bool has_op;
        long call;
    };
    for (const Row& row :
         {Row{all_drivers[0], true, SYS_io_uring_enter}, Row{all_drivers[1], true, SYS_epoll_pwait2},
          Row{all_drivers[0], false, SYS_futex}, Row{all_drivers[1], false, SYS_futex}}) {
        CAPTURE(row.make.name, row.has_op);
        CHECK(count_calls([&] {
                  Driver driver(row.make);
                  Fd silent = event();
                  Op op = Op::poll(silent, POLLIN);
                  if (row.has_op) driver.submit(op);
                  driver.wait(driver.now() + 1'000'000);
                  mark();
                  driver.wait(driver.now() + 1'000'000);
                  mark();
                  ::_exit(0);
              }) == (Calls{{row.call, 1}}));
    }
}

TEST_CASE("sleep after sleep puts one wait for the bell into the ring") {
    CHECK(count_calls([] {
              Driver driver(all_drivers[0]);
              Fd silent = event();
              Op op = Op::poll(silent, POLLIN);
              driver.submit(op);
              for (int i = 0; i < 10; ++i) driver.wait(driver.now() + 100'000);
              // The ring's descriptor is the one after the eventfd; its tail counts what was ever put in.
              unsigned tail = 0;
              char path[64];
              std::snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", silent + 1);
              std::FILE* info = std::fopen(path, "re");
              char line[128];
              while (info != nullptr && std::fgets(line, sizeof(line), info) != nullptr) {
                  if (std::sscanf(line, "SqTail: %u", &tail) == 1) break;
              }
              ::_exit(tail == 2 ? 0 : 1); // the operation and the bell
          }) == Calls{});
}

namespace {

// The receives that two fibers make themselves while one asks and the other answers, ten times.
int receives_of_an_echo(size_t request, size_t buffer) {
    Calls calls = count_calls([=] {
        ::setenv("XTC_IO_BACKEND", "uring", 1);
        xtc::test::TestLoop loop;
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) ::_exit(1);
        const auto pass_on = [=](int fd) {
            std::vector<char> bytes(buffer);
            size_t got = 0;
            if (xtc_net_read(fd, bytes.data(), bytes.size(), -1, &got) != XTC_OK || got != request)
                ::_exit(2);
            if (xtc_net_write(fd, bytes.data(), request, -1, nullptr) != XTC_OK) ::_exit(3);
        };
        loop.proc([=] {
            for (;;) pass_on(ends[0]);
        });
        loop.proc([=] {
            std::vector<char> first(request, 'x');
            if (xtc_net_write(ends[1], first.data(), request, -1, nullptr) != XTC_OK) ::_exit(4);
            for (int round = 0; round < 22; ++round) {
                if (round == 2 || round == 12) mark();
                pass_on(ends[1]);
            }
            ::_exit(0);
        });
        loop.run();
    });
    REQUIRE(calls.count(-1) == 0);
    return calls[SYS_recvfrom];
}

} // namespace

TEST_CASE("a fiber that has emptied a socket leaves its next receive to the kernel") {
    CHECK(receives_of_an_echo(64, 4096) == 0);
    CHECK(receives_of_an_echo(64, 64) >= 10); // there may be more: it tries
}
