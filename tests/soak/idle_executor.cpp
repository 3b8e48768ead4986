// SPDX-License-Identifier: ISC
// Eight loops with ten thousand parked processes do nothing for ten seconds: no run, under half a per cent of
// a core.
#include "soak.hpp"

#include <cinttypes>
#include <ctime>

#include "xtc_exec.h"
#include "xtc_proc.h"

namespace {

constexpr int kLoops = 8;
constexpr int kParked = 10'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kWatch = 10 * kSecond;

xtc_exec_t* g_exec;

uint64_t runs() {
    uint64_t n = 0;
    for (int i = 0; i < kLoops; ++i) {
        xtc_loop_stats_t s;
        soak::must(xtc_exec_loop_stats(g_exec, i, &s) == XTC_OK, "stats");
        n += s.tasks_run;
    }
    return n;
}

int64_t cpu_ns() {
    return std::clock() * (kSecond / CLOCKS_PER_SEC);
}

void parked(void*) {
    void* data = nullptr;
    size_t size = 0;
    xtc_recv(&data, &size, -1);
}

void watch(void*) {
    xtc_proc_sleep(kSecond); // everybody is parked by then
    const uint64_t runs_before = runs();
    const int64_t cpu_before = cpu_ns();
    xtc_proc_sleep(kWatch);
    const int64_t cpu = cpu_ns() - cpu_before;
    const uint64_t ran = runs() - runs_before; // our own wake is counted at the end of this turn
    std::printf("%d loops, %d parked processes, 10 s: %" PRIu64 " runs, %.4f %% of a core\n", kLoops, kParked,
                ran, 100.0 * static_cast<double>(cpu) / static_cast<double>(kWatch));
    soak::must(ran <= 1, "no process ran but the one that watches");
    soak::must(cpu < kWatch / 200, "under half a per cent of a core");
    xtc_exec_stop(g_exec);
}

} // namespace

int main() {
    soak::must(xtc_exec_init(&g_exec, kLoops) == XTC_OK, "executor");
    xtc_exec_set_service_mode(g_exec, 1);
    for (int i = 0; i < kParked; ++i)
        soak::must(xtc_proc_spawn(xtc_exec_loop(g_exec, i % kLoops), parked, nullptr, nullptr, nullptr) ==
                       XTC_OK,
                   "spawn");
    soak::must(xtc_proc_spawn(xtc_exec_loop(g_exec, 0), watch, nullptr, nullptr, nullptr) == XTC_OK, "spawn");
    soak::must(xtc_exec_run(g_exec) == XTC_OK, "run");
    return xtc_exec_fini(g_exec);
}
