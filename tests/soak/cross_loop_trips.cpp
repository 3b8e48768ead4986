// SPDX-License-Identifier: ISC
// A million round trips between two loops with no timer to hide a lost wake behind; the slowest is reported.
#include "soak.hpp"

#include <cinttypes>

#include "xtc_exec.h"
#include "xtc_proc.h"

namespace {

constexpr int kTrips = 1'000'000;

xtc_pid_t g_ping;
xtc_pid_t g_pong;

void take() {
    void* data = nullptr;
    size_t size = 0;
    soak::must(xtc_recv(&data, &size, -1) == XTC_OK, "receive");
    xtc_free(data);
}

void ping(void*) {
    int64_t slowest = 0;
    for (int i = 0; i < kTrips; ++i) {
        const int64_t before = xtc_clock_mono();
        soak::must(xtc_send(g_pong, &i, sizeof i) == XTC_OK, "send");
        take();
        const int64_t took = xtc_clock_mono() - before;
        if (took > slowest) slowest = took;
    }
    std::printf("%d round trips between two loops, the slowest %" PRId64 " us\n", kTrips, slowest / 1000);
}

void pong(void*) {
    for (int i = 0; i < kTrips; ++i) {
        take();
        soak::must(xtc_send(g_ping, &i, sizeof i) == XTC_OK, "send");
    }
}

} // namespace

int main() {
    xtc_exec_t* exec = nullptr;
    soak::must(xtc_exec_init(&exec, 2) == XTC_OK, "executor");
    soak::must(xtc_proc_spawn(xtc_exec_loop(exec, 0), ping, nullptr, nullptr, &g_ping) == XTC_OK, "spawn");
    soak::must(xtc_proc_spawn(xtc_exec_loop(exec, 1), pong, nullptr, nullptr, &g_pong) == XTC_OK, "spawn");
    soak::must(xtc_exec_run(exec) == XTC_OK, "run");
    return xtc_exec_fini(exec);
}
