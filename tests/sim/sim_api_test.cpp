// SPDX-License-Identifier: ISC
//
// xtc_sim.h as a user has it: public headers, an executor of the unmodified library.
#include "xtc_sim.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

#include "support/loops.hpp"
#include "xtc_accel.h"
#include "xtc_async.h"
#include "xtc_blocking.h"
#include "xtc_future.h"
#include "xtc_net.h"
#include "xtc_sync.h"

namespace {

class Simulated {
public:
    explicit Simulated(int loops = 2) { REQUIRE(xtc_exec_init(&exec_, loops) == XTC_OK); }
    ~Simulated() { CHECK(xtc_exec_fini(exec_) == XTC_OK); }
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    operator xtc_exec_t*() const { return exec_; }
    xtc_pid_t proc(int loop, std::function<void()> body) {
        return bodies_.spawn(xtc_exec_loop(exec_, loop), std::move(body));
    }
    int run(uint64_t seed = 1, long max_steps = 0) { return xtc_sim_exec_run(exec_, seed, max_steps); }

private:
    xtc_exec_t* exec_ = nullptr;
    xtc::test::Bodies bodies_;
};

constexpr int64_t hour = 3600 * xtc::test::kSecond;

} // namespace

TEST_CASE("sim: an executor with nothing to do is at rest") {
    Simulated exec;
    CHECK(exec.run() == XTC_OK);
    CHECK(exec.run() == XTC_OK);
    CHECK(xtc_sim_check(exec) == XTC_OK);
    CHECK(xtc_sim_trace_hash(exec) != 0);
}

TEST_CASE("sim: what was never simulated, or has run natively, is refused") {
    Simulated exec;
    uint64_t out = 0;
    CHECK(xtc_sim_exec_run(nullptr, 1, 0) == XTC_E_INVAL);
    CHECK(xtc_sim_check(nullptr) == XTC_E_INVAL);
    CHECK(xtc_sim_check(exec) == XTC_E_INVAL);
    CHECK(xtc_sim_state_hash(exec) == 0);
    CHECK(xtc_sim_trace_hash(exec) == 0);
    CHECK(xtc_sim_rand(exec, XTC_SIM_RNG_APP, 10, &out) == XTC_E_INVAL);
    exec.proc(0, [] {});
    CHECK(xtc_exec_run(exec) == XTC_OK);
    CHECK(exec.run() == XTC_E_INVAL);
    int fd = -1;
    CHECK(xtc_sim_fd_create(exec, &fd) == XTC_E_INVAL);
    CHECK(fd == -1);
}

TEST_CASE("sim: an hour of sleep takes no time, and the clocks of all loops agree on it") {
    Simulated exec;
    int64_t before = 0, after = 0, seen_elsewhere = 0;
    exec.proc(0, [&] {
        before = xtc_clock_mono();
        CHECK(xtc_proc_sleep(hour) == XTC_OK);
        after = xtc_clock_mono();
        CHECK(std::string(xtc_io_backend_name()) == "sim");
    });
    exec.proc(1, [&] {
        xtc_proc_sleep(2 * hour);
        seen_elsewhere = xtc_clock_mono();
    });
    CHECK(exec.run() == XTC_OK);
    CHECK(after - before >= hour);
    CHECK(after - before < hour + xtc::test::kSecond);
    CHECK(seen_elsewhere - before >= 2 * hour);
    CHECK(seen_elsewhere - before < 2 * hour + xtc::test::kSecond);
}

TEST_CASE("sim: steps that are used up leave the rest for the next call, and pieces make the same run as one "
          "piece") {
    const auto hash = [](long piece) {
        Simulated exec;
        for (int i = 0; i < 4; i++) {
            exec.proc(i % 2, [] {
                for (int k = 0; k < 50; k++) {
                    xtc_yield();
                    if (k % 10 == 0) xtc_proc_sleep(1000);
                }
            });
        }
        int calls = 0;
        int status = XTC_E_AGAIN;
        while (status == XTC_E_AGAIN && calls++ < 10'000) status = exec.run(5, piece);
        CHECK(status == XTC_OK);
        CHECK((piece == 0 || calls > 1));
        return xtc_sim_trace_hash(exec);
    };
    CHECK(hash(7) == hash(0));
    CHECK(hash(1) == hash(0));
}

TEST_CASE("sim: a wait that nothing can end is a deadlock, and goes on once it can") {
    Simulated exec;
    int fd = -1, status = 1;
    REQUIRE(xtc_sim_fd_create(exec, &fd) == XTC_OK);
    exec.proc(0, [&] { status = xtc_accel_wait_fence(fd, -1); });
    CHECK(exec.run() == XTC_E_DEADLK);
    CHECK(status == 1);
    CHECK(xtc_sim_fd_signal(fd, XTC_IO_READABLE, 0) == XTC_OK);
    CHECK(exec.run() == XTC_OK);
    CHECK(status == XTC_OK);
    CHECK(xtc_sim_fd_close(fd) == XTC_OK);
}

TEST_CASE("sim: stop ends a run with work left, and the next run goes on with it") {
    Simulated exec;
    bool ended = false;
    exec.proc(0, [&] {
        xtc_proc_sleep(1000);
        xtc_exec_stop(exec);
        xtc_proc_sleep(1000);
        ended = true;
    });
    CHECK(exec.run() == XTC_OK);
    CHECK_FALSE(ended);
    CHECK(exec.run() == XTC_OK);
    CHECK(ended);
}

TEST_CASE("sim: a fiber that yields for ever does not stop time") {
    Simulated exec(1);
    bool over = false;
    exec.proc(0, [&] {
        while (!over) xtc_yield();
    });
    exec.proc(0, [&] {
        xtc_proc_sleep(1'000'000);
        over = true;
    });
    CHECK(exec.run(1, 1'000'000) == XTC_OK);
    CHECK(over);
}

TEST_CASE("sim: the same seed is the same run, another seed another order") {
    const auto orders = [](uint64_t seed) {
        Simulated exec;
        std::string order;
        for (char name = 'a'; name < 'f'; name++) {
            exec.proc(name % 2, [&order, name] {
                for (int i = 0; i < 3; i++) {
                    order += name;
                    xtc_yield();
                }
            });
        }
        CHECK(exec.run(seed) == XTC_OK);
        return order + std::to_string(xtc_sim_trace_hash(exec)) + "/" +
               std::to_string(xtc_sim_state_hash(exec));
    };
    const std::string first = orders(1);
    int different = 0;
    for (uint64_t seed = 2; seed < 12; seed++) different += orders(seed) != first ? 1 : 0;
    CHECK(different == 10);
    CHECK(orders(1) == first);
}

TEST_CASE("sim: other executors in the process change nothing") {
    const auto hash = [] {
        Simulated exec;
        for (int i = 0; i < 10; i++) {
            exec.proc(i % 2, [] {
                xtc_task_t* task = nullptr;
                xtc_exec_async_on(nullptr, 0, nullptr, nullptr, &task);
                xtc_proc_sleep(10);
            });
        }
        CHECK(exec.run(3) == XTC_OK);
        return std::to_string(xtc_sim_trace_hash(exec)) + "/" + std::to_string(xtc_sim_state_hash(exec));
    };
    const std::string alone = hash();
    Simulated other(3);
    other.proc(2, [] { xtc_proc_sleep(5); });
    CHECK(other.run(9, 2) == XTC_E_AGAIN); // in the middle of its life
    CHECK(hash() == alone);
    CHECK(other.run(9) == XTC_OK);
}

TEST_CASE("sim: random numbers come from the seed, by stream") {
    const auto draws = [](uint64_t seed, enum xtc_sim_stream stream, int others) {
        Simulated exec(1);
        std::vector<uint64_t> got(8);
        uint64_t rand = 0;
        exec.proc(0, [&] {
            uint64_t ignored = 0;
            for (int i = 0; i < others; i++)
                CHECK(xtc_sim_rand(exec, XTC_SIM_RNG_IO, 100, &ignored) == XTC_OK);
            for (uint64_t& draw : got) CHECK(xtc_sim_rand(exec, stream, 1000, &draw) == XTC_OK);
            rand = xtc_rand_u64();
            CHECK(xtc_sim_rand(exec, stream, 0, &ignored) == XTC_E_RANGE);
            CHECK(xtc_sim_rand(exec, XTC_SIM_RNG_NSTREAMS, 5, &ignored) == XTC_E_INVAL);
            CHECK(xtc_sim_rand(exec, stream, 5, nullptr) == XTC_E_INVAL);
        });
        CHECK(exec.run(seed) == XTC_OK);
        got.push_back(rand);
        return got;
    };
    CHECK(draws(1, XTC_SIM_RNG_APP, 0) == draws(1, XTC_SIM_RNG_APP, 50));
    CHECK(draws(1, XTC_SIM_RNG_APP, 0) != draws(2, XTC_SIM_RNG_APP, 0));
    CHECK(draws(1, XTC_SIM_RNG_APP, 0) != draws(1, XTC_SIM_RNG_BUGGIFY, 0));
}

TEST_CASE("sim: descriptor calls check what they are given") {
    Simulated exec;
    int fd = -1;
    CHECK(xtc_sim_fd_create(nullptr, &fd) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_create(exec, nullptr) == XTC_E_INVAL);
    CHECK(xtc_sim_socketpair(exec, nullptr) == XTC_E_INVAL);
    CHECK(xtc_sim_socketpair(nullptr, &fd) == XTC_E_INVAL);
    REQUIRE(xtc_sim_fd_create(exec, &fd) == XTC_OK);
    CHECK(fd >= 1 << 30);
    CHECK(xtc_sim_fd_signal(fd, 0, 0) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_signal(fd, 0x1000, 0) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_signal(fd, XTC_IO_READABLE, -1) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_signal(fd + 1, XTC_IO_READABLE, 0) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_signal(0, XTC_IO_READABLE, 0) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_clear(fd, 0x1000) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_clear(3, XTC_IO_READABLE) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_clear(fd, XTC_IO_READABLE) == XTC_OK);
    CHECK(xtc_sim_fd_close(fd) == XTC_OK);
    CHECK(xtc_sim_fd_close(fd) == XTC_E_INVAL);
    CHECK(xtc_sim_fd_close(2) == XTC_E_INVAL);
}

TEST_CASE("sim: descriptors left open go with the executor") {
    int fd = -1, again = -1;
    {
        Simulated exec;
        REQUIRE(xtc_sim_fd_create(exec, &fd) == XTC_OK);
    }
    CHECK(xtc_sim_fd_close(fd) == XTC_E_INVAL);
    Simulated exec;
    REQUIRE(xtc_sim_fd_create(exec, &again) == XTC_OK);
    CHECK(again == fd);
}

TEST_CASE("sim: a wait takes virtual descriptors only") {
    Simulated exec;
    const int real = eventfd(1, EFD_CLOEXEC);
    exec.proc(0, [&] {
        uint32_t bits = 0;
        CHECK(xtc_proc_wait_fd(real, XTC_IO_READABLE, -1, &bits) == XTC_E_INVAL);
        CHECK(xtc_accel_wait_fence(real, -1) == XTC_E_INVAL);
        CHECK(xtc_accel_wait_fence((1 << 30) + 5000, -1) == XTC_E_INVAL);
    });
    CHECK(exec.run() == XTC_OK);
    close(real);
}

TEST_CASE("sim: a signal ends the waits for it after its delay, until it is cleared") {
    Simulated exec;
    int fd = -1;
    REQUIRE(xtc_sim_fd_create(exec, &fd) == XTC_OK);
    exec.proc(0, [&] {
        const int64_t begun = xtc_clock_mono();
        CHECK(xtc_sim_fd_signal(fd, XTC_IO_READABLE, 5'000'000) == XTC_OK);
        uint32_t bits = 0;
        CHECK(xtc_proc_wait_fd(fd, XTC_IO_READABLE, 1'000'000, &bits) == XTC_E_AGAIN);
        CHECK(bits == XTC_WAIT_TIMEOUT);
        CHECK(xtc_proc_wait_fd(fd, XTC_IO_READABLE, -1, &bits) == XTC_OK);
        CHECK(bits == XTC_IO_READABLE);
        CHECK(xtc_clock_mono() - begun >= 5'000'000);
        CHECK(xtc_accel_wait_fence(fd, 0) == XTC_OK); // a level
        CHECK(xtc_sim_fd_clear(fd, XTC_IO_READABLE) == XTC_OK);
        CHECK(xtc_accel_wait_fence(fd, 1000) == XTC_E_AGAIN);
        CHECK(xtc_sim_fd_signal(fd, XTC_IO_READABLE | XTC_IO_ERR, 0) == XTC_OK);
        CHECK(xtc_accel_wait_fence(fd, -1) == XTC_E_INVAL);
    });
    CHECK(exec.run() == XTC_OK);
}

TEST_CASE("sim: xtc_net_close ends a wait on another loop, closing as close(2) does ends none") {
    Simulated exec;
    int one = -1, two = -1, ended = 1;
    REQUIRE(xtc_sim_fd_create(exec, &one) == XTC_OK);
    REQUIRE(xtc_sim_fd_create(exec, &two) == XTC_OK);
    exec.proc(0, [&] { ended = xtc_accel_wait_fence(one, -1); });
    exec.proc(0, [&] { CHECK(xtc_accel_wait_fence(two, 10'000'000) == XTC_E_AGAIN); });
    exec.proc(1, [&] {
        xtc_proc_sleep(1'000'000);
        CHECK(xtc_sim_fd_close(two) == XTC_OK);
        xtc_net_close(one);
    });
    CHECK(exec.run() == XTC_OK);
    CHECK(ended == XTC_E_ABORTED);
    CHECK(xtc_sim_fd_close(one) == XTC_E_INVAL);
}

TEST_CASE("sim: a socket pair carries bytes both ways, and its end") {
    Simulated exec;
    int ends[2] = {-1, -1};
    REQUIRE(xtc_sim_socketpair(exec, ends) == XTC_OK);
    std::string echoed;
    const std::string sent(20'000, 'x');
    exec.proc(0, [&] {
        CHECK(xtc_net_write(ends[0], sent.data(), sent.size(), -1, nullptr) == XTC_OK);
        char buf[1000];
        size_t n = 0;
        while (echoed.size() < sent.size() && xtc_net_read(ends[0], buf, sizeof buf, -1, &n) == XTC_OK &&
               n > 0) {
            echoed.append(buf, n);
        }
        xtc_net_close(ends[0]);
    });
    exec.proc(1, [&] {
        std::string got;
        char buf[700];
        size_t n = 0;
        while (got.size() < sent.size() && xtc_net_read(ends[1], buf, sizeof buf, -1, &n) == XTC_OK &&
               n > 0) {
            got.append(buf, n);
        }
        CHECK(xtc_net_write(ends[1], got.data(), got.size(), -1, nullptr) == XTC_OK);
        CHECK(xtc_net_read(ends[1], buf, sizeof buf, -1, &n) == XTC_OK);
        CHECK(n == 0);
        xtc_net_close(ends[1]);
    });
    CHECK(exec.run() == XTC_OK);
    CHECK(echoed == sent);
}

TEST_CASE("sim: a closure runs off the loop, on the one thread, in virtual time") {
    Simulated exec;
    int64_t at = 0, before = 0, after = 0;
    int loop_inside = 7, blocked = 0;
    xtc_notify_t* never = nullptr;
    REQUIRE(xtc_notify_create(&never) == XTC_OK);
    struct Call {
        int64_t& at;
        int& loop_inside;
        int& blocked;
        xtc_notify_t* never;
    } call{at, loop_inside, blocked, never};
    exec.proc(0, [&] {
        before = xtc_clock_mono();
        int result = 0;
        CHECK(xtc_blocking_run(
                  [](void* arg) {
                      auto& self = *static_cast<Call*>(arg);
                      self.at = xtc_clock_mono();
                      self.loop_inside = xtc_exec_loop_id();
                      self.blocked =
                          xtc_notify_wait(self.never, -1); // a plain thread's wait would stop everything
                      return 3;
                  },
                  &call, &result) == XTC_OK);
        CHECK(result == 3);
        after = xtc_clock_mono();
    });
    CHECK(exec.run() == XTC_OK);
    CHECK(before < at);
    CHECK(at < after);
    CHECK(loop_inside == -1);
    CHECK(blocked == XTC_E_DEADLK);
    xtc_notify_destroy(never);
}

TEST_CASE("sim: after a run the thread is an ordinary one again") {
    Simulated exec;
    exec.proc(0, [] { xtc_proc_sleep(hour); });
    const int64_t before = xtc_clock_mono();
    CHECK(exec.run() == XTC_OK);
    const int64_t after = xtc_clock_mono();
    CHECK(after >= before);
    CHECK(after - before < hour);
    xtc_notify_t* notify = nullptr;
    REQUIRE(xtc_notify_create(&notify) == XTC_OK);
    CHECK(xtc_notify_wait(notify, 1000) == XTC_E_AGAIN); // really waits
    xtc_notify_destroy(notify);
}

TEST_CASE("sim: a run inside a run is refused") {
    Simulated exec;
    int status = 0;
    exec.proc(0, [&] { status = xtc_sim_exec_run(exec, 1, 0); });
    CHECK(exec.run() == XTC_OK);
    CHECK(status == XTC_E_INVAL);
}

TEST_CASE("sim: fibers that still wait are dropped with their executor") {
    Simulated exec;
    int fd = -1;
    REQUIRE(xtc_sim_fd_create(exec, &fd) == XTC_OK);
    exec.proc(0, [&] { xtc_accel_wait_fence(fd, -1); });
    exec.proc(1, [] {
        char buf = 0;
        void* data = &buf;
        size_t size = 0;
        xtc_recv(&data, &size, -1);
    });
    CHECK(exec.run() == XTC_E_DEADLK);
}

TEST_CASE("sim: an executor can be finalised while closures wait to run, or have run and not been reported") {
    for (long steps = 1; steps < 12; steps++) {
        Simulated exec;
        for (int i = 0; i < 3; i++) {
            exec.proc(i % 2, [] {
                for (int k = 0; k < 5; k++) xtc_blocking_run([](void*) { return 0; }, nullptr, nullptr);
            });
        }
        CHECK(exec.run(1, steps) == XTC_E_AGAIN);
    }
}

TEST_CASE("sim: a closure that was handed over runs, though its executor has gone meanwhile") {
    int ran = 0;
    {
        Simulated exec;
        exec.proc(0, [&] {
            CHECK(xtc_blocking_submit([](void* arg) { return ++*static_cast<int*>(arg); }, &ran) == XTC_OK);
        });
        CHECK(exec.run(1, 1) != XTC_E_INVAL);
    }
    CHECK(ran == 1);
}
