// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "loop/pool.hpp"

#include <xtc.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// Opens once; threads and the test wait at it.
class Gate {
public:
    void open() {
        std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

class Tally {
public:
    void add() {
        std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    void wait_for(int n) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return count_ >= n; });
    }
    int count() {
        std::lock_guard lock(mutex_);
        return count_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

struct Job : xtc_offload_job_t {
    Job(int (*run)(void*), void* with, Tally& tally) : xtc_offload_job_t{} {
        fn = run;
        arg = with;
        owner = &tally;
        done = [](xtc_offload_job_t* job) { static_cast<Tally*>(job->owner)->add(); };
    }
    int submit() { return xtc::pool_offload()->submit(nullptr, this); }
    int revoke() { return xtc::pool_offload()->revoke(nullptr, this); }
};

// Every test starts and leaves a pool that does not run.
struct FreshPool {
    FreshPool() { xtc::pool_shutdown(); }
    ~FreshPool() {
        xtc::pool_shutdown();
        CHECK(xtc::pool_set_size(xtc::kMostPoolThreads) == XTC_OK);
    }
};

struct Seen {
    std::string name;
    sigset_t blocked;
    static int look(void* raw) {
        auto* self = static_cast<Seen*>(raw);
        char name[16] = {};
        ::pthread_getname_np(::pthread_self(), name, sizeof(name));
        self->name = name;
        ::pthread_sigmask(SIG_BLOCK, nullptr, &self->blocked);
        return 42;
    }
};

int wait_at_gate(void* gate) {
    static_cast<Gate*>(gate)->wait();
    return 0;
}

} // namespace

TEST_CASE("a job runs on a named thread deaf to all but its own faults and hands back its result",
          "[threads]") {
    FreshPool fresh;
    CHECK(xtc::pool_thread_count() == 0);
    Tally tally;
    Seen seen;
    Job job(Seen::look, &seen, tally);
    REQUIRE(job.submit() == XTC_OK);
    tally.wait_for(1);
    CHECK(job.result == 42);
    CHECK(seen.name == "xtc-pool/0");
    for (const int heard : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
        CHECK(sigismember(&seen.blocked, heard) == 0);
    for (const int blocked : {SIGUSR1, SIGTERM, SIGINT, SIGCHLD, SIGPIPE})
        CHECK(sigismember(&seen.blocked, blocked) == 1);
}

TEST_CASE("the pool grows while nobody is free and stops at 64", "[threads]") {
    FreshPool fresh;
    Gate gate;
    Tally tally;
    std::vector<Job> jobs(70, Job(wait_at_gate, &gate, tally));
    for (Job& job : jobs) REQUIRE(job.submit() == XTC_OK);
    CHECK(xtc::pool_thread_count() == 64);
    gate.open();
    tally.wait_for(70);
    CHECK(tally.count() == 70);
}

TEST_CASE("one thread serves jobs that come one after another", "[threads]") {
    FreshPool fresh;
    Tally tally;
    CHECK(xtc::pool_set_size(1) == XTC_OK);
    std::vector<Job> jobs(1000, Job([](void*) { return 0; }, nullptr, tally));
    for (Job& job : jobs) REQUIRE(job.submit() == XTC_OK);
    tally.wait_for(1000);
    CHECK(xtc::pool_thread_count() == 1);
}

TEST_CASE("a queued job can be revoked and then never runs; a begun one can not", "[threads]") {
    FreshPool fresh;
    CHECK(xtc::pool_set_size(1) == XTC_OK);
    struct Holder {
        Gate begun, leave;
    } holder;
    Tally tally;
    std::atomic<int> ran{0};
    Job first(
        [](void* raw) {
            static_cast<Holder*>(raw)->begun.open();
            static_cast<Holder*>(raw)->leave.wait();
            return 0;
        },
        &holder, tally);
    const auto count = [](void* raw) { return static_cast<std::atomic<int>*>(raw)->fetch_add(1); };
    Job second(count, &ran, tally), third(count, &ran, tally);
    REQUIRE(first.submit() == XTC_OK);
    holder.begun.wait();
    REQUIRE(second.submit() == XTC_OK);
    REQUIRE(third.submit() == XTC_OK);
    CHECK(first.revoke() == 0);
    CHECK(second.revoke() == 1);
    holder.leave.open();
    tally.wait_for(2);
    xtc::pool_shutdown();
    CHECK(tally.count() == 2);
    CHECK(ran.load() == 1);
}

TEST_CASE("shutdown runs what was accepted, can be repeated, and the pool starts again", "[threads]") {
    FreshPool fresh;
    CHECK(xtc::pool_set_size(2) == XTC_OK);
    Tally tally;
    std::vector<Job> jobs(100, Job([](void*) { return 0; }, nullptr, tally));
    for (Job& job : jobs) REQUIRE(job.submit() == XTC_OK);
    CHECK(xtc::pool_set_size(3) == XTC_E_INVAL);
    xtc::pool_shutdown();
    CHECK(tally.count() == 100);
    CHECK(xtc::pool_thread_count() == 0);
    xtc::pool_shutdown();
    Job again([](void*) { return 7; }, nullptr, tally);
    REQUIRE(again.submit() == XTC_OK);
    tally.wait_for(101);
    CHECK(again.result == 7);
}

TEST_CASE("sizes out of 1 to 64 are refused", "[threads]") {
    FreshPool fresh;
    CHECK(xtc::pool_set_size(0) == XTC_E_INVAL);
    CHECK(xtc::pool_set_size(-1) == XTC_E_INVAL);
    CHECK(xtc::pool_set_size(65) == XTC_E_INVAL);
    CHECK(xtc::pool_set_size(64) == XTC_OK);
}

TEST_CASE("a forked child has an empty pool that works") {
    FreshPool fresh;
    Gate gate;
    Tally tally;
    Job held(wait_at_gate, &gate, tally);
    REQUIRE(held.submit() == XTC_OK);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const bool empty = xtc::pool_thread_count() == 0;
        Tally own;
        Job job([](void*) { return 5; }, nullptr, own);
        const bool accepted = job.submit() == XTC_OK;
        if (accepted) own.wait_for(1);
        xtc::pool_shutdown();
        ::_exit(empty && accepted && job.result == 5 ? 0 : 1);
    }
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    gate.open();
    tally.wait_for(1);
}
