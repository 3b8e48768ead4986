// SPDX-License-Identifier: ISC
// A million processes, one after another, spawned on the loop and from outside it: memory stays where it was.
#include "soak.hpp"

#include <cinttypes>

#include "xtc_async.h"
#include "xtc_proc.h"

namespace {

constexpr int kMillion = 1'000'000;
constexpr int64_t kAllowed = 8 << 20;

int g_ran;

void life(void*) {
    ++g_ran;
}

void spawner(void* loop) {
    for (int i = 0; i < kMillion; ++i) {
        soak::must(xtc_proc_spawn(static_cast<xtc_loop_t*>(loop), life, nullptr, nullptr, nullptr) == XTC_OK,
                   "spawn");
        xtc_yield();
    }
}

void report(const char* how, int64_t before) {
    const int64_t grown = soak::resident_bytes() - before;
    std::printf("%s: %d processes, resident memory grew by %" PRId64 " KiB\n", how, g_ran, grown >> 10);
    soak::must(g_ran == kMillion, "every process ran");
    soak::must(grown < kAllowed, "memory grew by less than 8 MiB");
    g_ran = 0;
}

} // namespace

int main() {
    xtc_loop_t* loop = nullptr;
    soak::must(xtc_loop_init(&loop) == XTC_OK, "loop");
    soak::must(xtc_proc_spawn(loop, life, nullptr, nullptr, nullptr) == XTC_OK, "spawn");
    soak::must(xtc_loop_run(loop) == XTC_OK, "run");
    g_ran = 0;

    int64_t before = soak::resident_bytes();
    soak::must(xtc_proc_spawn(loop, spawner, loop, nullptr, nullptr) == XTC_OK, "spawn");
    soak::must(xtc_loop_run(loop) == XTC_OK, "run");
    report("on the loop", before);

    before = soak::resident_bytes();
    for (int i = 0; i < kMillion; ++i) {
        soak::must(xtc_proc_spawn(loop, life, nullptr, nullptr, nullptr) == XTC_OK, "spawn");
        soak::must(xtc_loop_run(loop) == XTC_OK, "run");
    }
    report("from outside", before);
    return xtc_loop_fini(loop);
}
