// SPDX-License-Identifier: ISC
// `batch-alloc`: allocations, locks and system calls for each request in steady state, counted: malloc and
// pthread_mutex_lock are ours in this program, and a parent traces the system calls. `owner`:
// xtc_batch_submit; `mt`: xtc_batch_submit_mt.
#include <atomic>

#include <dlfcn.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xtc_async.h>

#include "batch_group.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0}, locks{0};

} // namespace

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

void* malloc(size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}
void* calloc(size_t n, size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(n, size);
}
void* realloc(void* old, size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(old, size);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static const auto real =
        reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    locks.fetch_add(1, std::memory_order_relaxed);
    return real(mutex);
}
}

namespace {

// The parent counts between two of these.
void mark() {
    syscall(SYS_getppid);
}

struct Counts {
    std::uint64_t allocations, locks, completed, checksum;
};

Counts measure(std::uint64_t work, bool is_mt) {
    std::vector<bench::Request> all = bench::requests(work + 10'000, 3);
    bench::Solo loop;
    bench::Group group(loop.get(), 1024, 256, is_mt ? 1024 : 0);
    Counts counts{};
    auto feed = [&] {
        const auto live = [&](std::uint64_t from, std::uint64_t to) {
            for (std::uint64_t i = from; i < to; ++i)
                while (!(is_mt ? group.offer_from_elsewhere(all[i]) : group.offer(all[i]))) xtc_yield();
            while (group.completed < to) xtc_yield();
        };
        live(0, 10'000);
        const std::uint64_t checksum = group.checksum;
        counts = {allocations, locks, group.completed, 0};
        mark();
        live(10'000, all.size());
        mark();
        counts = {allocations - counts.allocations, locks - counts.locks, group.completed - counts.completed,
                  group.checksum - checksum};
        group.close();
    };
    bench::start(loop.get(), feed);
    loop.run();
    return counts;
}

// System calls of the child between its marks.
std::uint64_t trace(pid_t child) {
    std::uint64_t calls = 0;
    int status = 0;
    bool counts = false, enters = false;
    waitpid(child, &status, 0);
    bench::need(ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD) == 0, "ptrace");
    for (;;) {
        ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
        enters = !enters;
        if (!enters) continue;
        __ptrace_syscall_info info{};
        ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
        if (info.entry.nr == SYS_getppid)
            counts = !counts;
        else
            calls += counts;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bench::fail("the traced child failed");
    return calls;
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "owner");
    const std::uint64_t work = opts.number("work", 1'000'000);
    int channel[2];
    bench::need(pipe(channel) == 0, "pipe");
    const pid_t child = fork();
    bench::need(child >= 0, "fork");
    if (child == 0) {
        bench::need(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0, "ptrace");
        raise(SIGSTOP);
        const Counts counts = measure(work, variant == "mt");
        _exit(write(channel[1], &counts, sizeof counts) == sizeof counts ? 0 : 1);
    }
    const std::uint64_t calls = trace(child);
    Counts counts{};
    bench::need(read(channel[0], &counts, sizeof counts) == sizeof counts, "read");
    const double n = double(counts.completed);
    bench::print({"batch-alloc",
                  "ours",
                  variant,
                  "system calls",
                  double(calls) / n,
                  counts.completed,
                  counts.checksum,
                  {{"allocations", double(counts.allocations) / n}, {"locks", double(counts.locks) / n}}});
}
