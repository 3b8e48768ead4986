// SPDX-License-Identifier: ISC
// `idle`: what 8 loops in service mode cost while 10,000 processes are parked on them and nothing happens:
// CPU time of the whole program, and how often any of its threads went to sleep again.
#include <atomic>
#include <chrono>
#include <dirent.h>
#include <thread>

#include <xtc_exec.h>

#include "solo.hpp"

namespace {

std::int64_t cpu_ns() {
    timespec ts{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

// Voluntary context switches of every thread but this one, which sleeps by itself.
std::uint64_t sleeps() {
    std::uint64_t total = 0;
    DIR* tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    const std::string self = std::to_string(gettid());
    while (dirent* task = readdir(tasks)) {
        if (task->d_name[0] == '.' || self == task->d_name) continue;
        std::FILE* f = std::fopen((std::string("/proc/self/task/") + task->d_name + "/status").c_str(), "re");
        char line[256];
        std::uint64_t n = 0;
        while (f && std::fgets(line, sizeof line, f))
            if (std::sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &n) == 1) total += n;
        if (f) std::fclose(f);
    }
    closedir(tasks);
    return total;
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::uint64_t work = opts.number("work", 10'000), ms = opts.number("ms", 2000);
    const int loops = 8;

    xtc_exec_t* exec = nullptr;
    bench::ok(xtc_exec_init(&exec, loops), "xtc_exec_init");
    xtc_exec_set_service_mode(exec, 1);
    std::atomic<std::uint64_t> parked{0}, checksum{0};
    auto member = [&] {
        checksum += parked++;
        void* message = nullptr;
        std::size_t size = 0;
        xtc_recv(&message, &size, -1);
    };
    for (std::uint64_t i = 0; i < work; ++i)
        bench::start(xtc_exec_loop(exec, static_cast<int>(i % loops)), member);
    std::thread runner([&] { bench::ok(xtc_exec_run(exec), "xtc_exec_run"); });

    const auto pause = [](std::uint64_t n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); };
    const std::int64_t give_up = bench::now_ns() + 20'000'000'000;
    while (parked < work && bench::now_ns() < give_up) pause(1);
    pause(20); // the last ones park
    const std::uint64_t slept = sleeps();
    const std::int64_t cpu = cpu_ns(), begun = bench::now_ns();
    pause(ms);
    const double share = 100.0 * double(cpu_ns() - cpu) / double(bench::now_ns() - begun);
    const std::uint64_t wakes = sleeps() - slept;

    bench::ok(xtc_exec_stop(exec), "xtc_exec_stop");
    runner.join();
    bench::ok(xtc_exec_fini(exec), "xtc_exec_fini");
    bench::print({"idle",
                  "ours",
                  opts.text("variant", "8-loops"),
                  "% of a core",
                  share,
                  parked,
                  checksum,
                  {{"wakes", double(wakes)}}});
}
