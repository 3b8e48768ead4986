// SPDX-License-Identifier: ISC
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "accel/devices.hpp"
#include "support/loops.hpp"
#include "support/process_threads.hpp"
#include "xtc_accel.h"
#include "xtc_inspect.h"
#include "xtc_net.h"

using namespace xtc::test;

namespace {

struct EventFd {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ~EventFd() { close(fd); }
    void signal() const { CHECK(eventfd_write(fd, 1) == 0); }
};

class Backend {
public:
    explicit Backend(const char* name) { xtc_env_set("XTC_IO_BACKEND", name, 1); }
    ~Backend() { xtc_env_set("XTC_IO_BACKEND", "auto", 1); }
};

#define ON_BOTH_DRIVERS                                                                                      \
    const char* const backend_name = GENERATE("uring", "epoll");                                             \
    CAPTURE(backend_name);                                                                                   \
    Backend backend(backend_name);                                                                           \
    TestLoop loop

} // namespace

TEST_CASE("accel: a fence that fires ends the wait, before and during it, and is neither read nor closed") {
    ON_BOTH_DRIVERS;
    EventFd early, later;
    early.signal();
    bool timed_out = false;
    loop.proc([&] {
        CHECK(xtc_accel_wait_fence(early.fd, kForever) == XTC_OK);
        CHECK(xtc_accel_wait_fence(early.fd, 0) == XTC_OK);
        CHECK(xtc_accel_wait_fence(later.fd, 0) == XTC_E_AGAIN);
        CHECK(xtc_accel_wait_fence(later.fd, kMs) == XTC_E_AGAIN);
        timed_out = true;
        CHECK(xtc_accel_wait_fence(later.fd, kForever) == XTC_OK);
        eventfd_t value = 0;
        CHECK(eventfd_read(early.fd, &value) == 0);
        CHECK(value == 1);
    });
    loop.proc([&] {
        while (!timed_out) xtc_proc_sleep(kMs / 10);
        later.signal();
    });
    loop.run();
}

// O33, L20, B20
TEST_CASE("accel: only a real signal is success") {
    ON_BOTH_DRIVERS;
    loop.proc([&] {
        CHECK(xtc_accel_wait_fence(-1, kSecond) == XTC_E_INVAL);
        EventFd closed;
        const int number = dup(closed.fd);
        close(number);
        CHECK(xtc_accel_wait_fence(number, kSecond) == XTC_E_INVAL);
        char path[] = "/tmp/xtc-fence-XXXXXX";
        const int file = mkstemp(path);
        unlink(path);
        CHECK(xtc_accel_wait_fence(file, kSecond) == XTC_E_INVAL);
        close(file);
        int fds[2];
        CHECK(pipe(fds) == 0);
        close(fds[1]); // hangs up without being readable
        CHECK(xtc_accel_wait_fence(fds[0], kSecond) == XTC_E_INVAL);
        close(fds[0]);
    });
    loop.run();
    EventFd e;
    CHECK(xtc_accel_wait_fence(e.fd, 0) == XTC_E_INVAL); // not on a fiber
}

TEST_CASE("accel: mail does not end a fence wait, a kill does") {
    ON_BOTH_DRIVERS;
    EventFd e;
    int ended = 0;
    xtc_pid_t waiter = loop.proc([&] {
        xtc_accel_wait_fence(e.fd, kForever);
        ++ended;
    });
    loop.proc([&] {
        xtc_yield();
        for (int i = 0; i < 20; ++i) CHECK(xtc_send(waiter, &i, sizeof i) == XTC_OK);
        xtc_proc_wake(waiter);
        xtc_yield();
        xtc_yield();
        CHECK(ended == 0);
        CHECK(xtc_exit_pid(waiter, 1) == XTC_OK);
    });
    loop.run();
    CHECK(ended == 0);
}

TEST_CASE("accel: xtc_net_close ends the fence waits of every loop") {
    const int loops = GENERATE(1, 2, 3);
    CAPTURE(loops);
    TestExec exec(loops);
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::vector<int> ends(2 * loops, 1);
    std::vector<xtc_pid_t> waiters;
    for (int i = 0; i < 2 * loops; ++i)
        waiters.push_back(
            exec.proc(i % loops, [&ends, fd, i] { ends[i] = xtc_accel_wait_fence(fd, kForever); }));
    exec.proc(0, [&] {
        for (xtc_pid_t pid : waiters) {
            xtc_proc_info_t info{};
            do xtc_proc_sleep(kMs / 10);
            while (xtc_proc_info(pid, &info) == XTC_OK && info.park_reason != XTC_PARK_FD);
        }
        xtc_net_close(fd);
    });
    exec.run(); // hangs if one is not told
    CHECK(ends == std::vector<int>(2 * loops, XTC_E_ABORTED));
}

TEST_CASE("accel: ten thousand parked fences cost no thread and no run until one fires") {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    constexpr size_t kWanted = 10'000;
    if (limit.rlim_max >= kWanted + 200 && limit.rlim_cur < kWanted + 200) {
        limit.rlim_cur = kWanted + 200;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    getrlimit(RLIMIT_NOFILE, &limit);
    const size_t count = std::min<size_t>(kWanted, limit.rlim_cur - 100);
    TestExec exec(1);
    std::vector<int> fences;
    for (size_t i = 0; i < count; ++i) fences.push_back(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    size_t fired = 0;
    for (int fd : fences)
        exec.proc(0, [&, fd] {
            if (xtc_accel_wait_fence(fd, kForever) == XTC_OK) ++fired;
        });
    uint64_t idle_runs = 99;
    exec.proc(0, [&] {
        xtc_yield();
        const int before = threads_of_process();
        xtc_loop_stats_t a{}, b{};
        xtc_proc_sleep(kMs);
        xtc_exec_loop_stats(exec, 0, &a);
        xtc_proc_sleep(20 * kMs);
        xtc_exec_loop_stats(exec, 0, &b);
        idle_runs = b.tasks_run - a.tasks_run;
        CHECK(threads_of_process() == before);
        CHECK(fired == 0);
        CHECK(eventfd_write(fences[count / 2], 1) == 0);
        while (fired == 0) xtc_yield();
        for (int fd : fences) CHECK(eventfd_write(fd, 1) == 0);
    });
    exec.run();
    CHECK(fired == count);
    CHECK(idle_runs <= 1); // the one that watches
    for (int fd : fences) close(fd);
}

TEST_CASE("accel: devices are found in the device tree, in order, with driver and node") {
    namespace fs = std::filesystem;
    char root[] = "/tmp/xtc-root-XXXXXX";
    REQUIRE(mkdtemp(root) != nullptr);
    const fs::path r = root;
    fs::create_directories(r / "dev/dri");
    fs::create_directories(r / "dev/accel");
    for (const char* name : {"dev/dri/renderD129", "dev/dri/renderD128", "dev/dri/card0", "dev/accel/accel10",
                             "dev/accel/accel2", "dev/accel/accelerate"})
        std::ofstream(r / name).put('\n');
    fs::create_directories(r / "sys/class/accel/accel2/device");
    fs::create_directories(r / "sys/bus/npu");
    fs::create_symlink("../../../../bus/npu", r / "sys/class/accel/accel2/device/driver");
    std::ofstream(r / "sys/class/accel/accel2/device/numa_node") << "1\n";

    const auto found = xtc::find_devices(root);
    REQUIRE(found.size() == 4);
    CHECK(std::string(found[0].name) == "renderD128");
    CHECK(found[0].kind == XTC_ACCEL_KIND_GPU);
    CHECK(std::string(found[1].name) == "renderD129");
    CHECK(std::string(found[2].name) == "accel2");
    CHECK(found[2].kind == XTC_ACCEL_KIND_NPU);
    CHECK(std::string(found[2].node) == "/dev/accel/accel2");
    CHECK(std::string(found[2].driver) == "npu");
    CHECK(std::string(found[3].name) == "accel10");
    CHECK(xtc::device_node(root, "accel2") == 1);
    CHECK(xtc::device_node(root, "renderD128") == -1);
    CHECK(xtc::device_node(root, "nothing") == -1);
    fs::remove_all(r);
}

TEST_CASE("accel: probe counts what it cannot write and refuses bad arguments") {
    int n = -1;
    CHECK(xtc_accel_probe(nullptr, 0, &n) == XTC_OK);
    CHECK(n >= 0);
    CHECK(xtc_accel_probe(nullptr, 0, nullptr) == XTC_E_INVAL);
    CHECK(xtc_accel_probe(nullptr, 1, &n) == XTC_E_INVAL);
    CHECK(xtc_accel_run_blocking(nullptr, nullptr, nullptr) == XTC_E_INVAL);
    int answer = 0;
    CHECK(xtc_accel_run_blocking([](void*) { return 7; }, nullptr, &answer) == XTC_OK);
    CHECK(answer == 7);
}
