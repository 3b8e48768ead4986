// SPDX-License-Identifier: ISC
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "loop/sanitizer.hpp"
#include "support/loops.hpp"
#include "xtc_async.h"

using namespace xtc::test;

namespace {

intptr_t add_one(void* arg) {
    xtc_yield();
    return reinterpret_cast<intptr_t>(arg) + 1;
}

int compare_and_yield(const void* a, const void* b) {
    xtc_yield();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

// Each frame keeps something on the stack that the compiler must not fold away.
__attribute__((noinline)) int dig(int depth, volatile char* above) {
    volatile char here[512];
    here[0] = above != nullptr ? *above : 1;
    return depth == 0 ? here[0] : dig(depth - 1, here) + here[0];
}

} // namespace

TEST_CASE("async: the main thread drives the loop until the fiber has its result") {
    TestLoop loop;
    xtc_task_t* task = nullptr;
    CHECK(xtc_async(loop, add_one, reinterpret_cast<void*>(41), &task) == XTC_OK);
    intptr_t result = 0;
    CHECK(xtc_await(task, &result) == XTC_OK);
    CHECK(result == 42);
    CHECK(xtc_await(task, &result) == XTC_E_INVAL); // used up
    CHECK(xtc_await(nullptr, &result) == XTC_E_INVAL);
}

TEST_CASE("async: a result waits for the one who comes after the run") {
    TestLoop loop;
    xtc_task_t* task = nullptr;
    CHECK(xtc_async(loop, add_one, reinterpret_cast<void*>(1), &task) == XTC_OK);
    loop.run();
    intptr_t result = 0;
    CHECK(xtc_await(task, &result) == XTC_OK);
    CHECK(result == 2);
}

TEST_CASE("async: a fiber awaits another, itself never") {
    TestLoop loop;
    xtc_task_t* inner = nullptr;
    CHECK(xtc_async(loop, add_one, reinterpret_cast<void*>(5), &inner) == XTC_OK);
    intptr_t result = 0;
    loop.proc([&] { CHECK(xtc_await(inner, &result) == XTC_OK); });
    static xtc_task_t* self;
    CHECK(xtc_async(
              loop, [](void*) -> intptr_t { return xtc_await(self, nullptr); }, nullptr, &self) == XTC_OK);
    loop.run();
    CHECK(result == 6);
    CHECK(xtc_await(self, &result) == XTC_OK);
    CHECK(result == XTC_E_INVAL);
}

TEST_CASE("async: locals survive a yield below somebody else's frames") {
    TestLoop loop;
    std::vector<int> numbers{5, 3, 9, 1, 7, 2, 8};
    int others = 0;
    loop.proc([&] { qsort(numbers.data(), numbers.size(), sizeof(int), compare_and_yield); });
    loop.proc([&] {
        for (int i = 0; i < 10; ++i) {
            ++others;
            xtc_yield();
        }
    });
    loop.run();
    CHECK(numbers == std::vector<int>{1, 2, 3, 5, 7, 8, 9});
    CHECK(others == 10);
}

TEST_CASE("async: the yield budget tells when a fiber has had its time") {
    TestLoop loop;
    CHECK(xtc_yield_check() == 0);
    xtc_yield_set_budget(loop, kMs);
    int due = 0;
    loop.proc([&] {
        CHECK(xtc_yield_check() == 0);
        const int64_t end = xtc_clock_mono() + 2 * kMs;
        while (xtc_clock_mono() < end) {
        }
        due = xtc_yield_if_due();
        CHECK(xtc_yield_check() == 0); // a new quantum
    });
    loop.run();
    CHECK(due == 1);
    CHECK(xtc_yield_due_count(loop) == 1);
    CHECK(xtc_yield_due_count(nullptr) == 0);
}

TEST_CASE("async: stack sizes are checked and a large one is really there") {
    CHECK(xtc_set_stack_size(1) == XTC_E_INVAL);
    CHECK(xtc_stack_size() == 64 * 1024);
    TestLoop loop;
    int sum = 0;
    struct Arg {
        int* sum;
    } arg{&sum};
    xtc_proc_opts2_t opts{};
    opts.size = sizeof opts;
    opts.version = XTC_PROC_OPTS2_VERSION;
    opts.stack_size = 4 << 20;
    xtc_pid_t pid;
    CHECK(xtc_proc_spawn_ex(
              loop, [](void* p) { *static_cast<Arg*>(p)->sum = dig(2000, nullptr); }, &arg, &opts, &pid) ==
          XTC_OK);
    opts.version = 99;
    CHECK(xtc_proc_spawn_ex(
              loop, [](void*) {}, nullptr, &opts, &pid) == XTC_E_VERSION);
    opts.version = XTC_PROC_OPTS2_VERSION;
    opts.stack_size = 100;
    CHECK(xtc_proc_spawn_ex(
              loop, [](void*) {}, nullptr, &opts, &pid) == XTC_E_INVAL);
    loop.run();
    CHECK(sum == 2001);
}

TEST_CASE("async: the owner of an address is found while its fiber lives") {
    TestLoop loop;
    xtc_proc_opts_t opts{};
    opts.name = "digger";
    void* address = nullptr;
    loop.proc(
        [&] {
            address = __builtin_frame_address(0);
            xtc_pid_t owner;
            char name[16];
            CHECK(xtc_stack_owner(address, &owner, name, sizeof name) == XTC_OK);
            CHECK(xtc_pid_eq(owner, xtc_self()));
            CHECK(std::string(name) == "digger");
        },
        &opts);
    loop.run();
    CHECK(xtc_stack_owner(address, nullptr, nullptr, 0) == XTC_E_NOTFOUND);
    int outside = 0;
    CHECK(xtc_stack_owner(&outside, nullptr, nullptr, 0) == XTC_E_NOTFOUND);
}

#if !XTC_ASAN && !XTC_TSAN // they bring handlers of their own
TEST_CASE("async: an overflow is reported with the fiber's name, then the handler before ours runs") {
    int fds[2];
    REQUIRE(pipe(fds) == 0);
    const pid_t child = fork();
    if (child == 0) {
        xtc_stack_report_install(fds[1]);
        xtc_loop_t* loop = nullptr;
        xtc_loop_init(&loop);
        xtc_proc_opts_t opts{};
        opts.name = "deep";
        xtc_pid_t pid;
        xtc_proc_spawn(
            loop, [](void*) { dig(1'000'000, nullptr); }, nullptr, &opts, &pid);
        xtc_loop_run(loop);
        _exit(0);
    }
    close(fds[1]);
    std::string text;
    char part[256];
    for (ssize_t n; (n = read(fds[0], part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
    close(fds[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
    CHECK(text.find("deep") != std::string::npos);
}
#endif
