// SPDX-License-Identifier: ISC
// Whose stack overflowed: the lookup for a host's handler, and the opt-in handler of our own (L19).
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "loop/stack.hpp"
#include "loop/stack_report.hpp"
#include "loop/task.hpp"
#include "xtc_async.h"
#include "xtc_proc.h"

namespace xtc {
namespace {

constexpr size_t kAltStack = 64 * 1024;

std::atomic<int> g_report_fd{-1};
struct sigaction g_previous[2]; // SIGSEGV, SIGBUS; set once before any handler of ours can run

size_t append(char* out, size_t at, size_t cap, const char* text) {
    while (*text != '\0' && at < cap) out[at++] = *text++;
    return at;
}

// Only what is async-signal-safe.
void report(const void* addr) {
    Task* t = stack_owner(addr);
    if (t == nullptr) return;
    char line[160];
    size_t n = append(line, 0, sizeof line - 1, "libxtc: stack overflow in fiber ");
    n = append(line, n, sizeof line - 1, t->name[0] != '\0' ? t->name : "(unnamed)");
    line[n++] = '\n';
    [[maybe_unused]] const ssize_t wrote = write(g_report_fd.load(std::memory_order_relaxed), line, n);
}

void handler(int sig, siginfo_t* info, void* context) {
    const int err = errno;
    report(info->si_addr);
    errno = err;
    const struct sigaction& before = g_previous[sig == SIGSEGV ? 0 : 1];
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(sig, info, context);
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        sigaction(sig, &before, nullptr); // the fault happens again, for the one before us
    } else {
        before.sa_handler(sig);
    }
}

} // namespace

AltStack::AltStack() {
    if (g_report_fd.load(std::memory_order_acquire) < 0) return;
    stack_t present{};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0)
        return; // the host has one
    void* map = mmap(nullptr, kAltStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return;
    const stack_t ours{map, 0, kAltStack};
    if (sigaltstack(&ours, nullptr) == 0)
        map_ = map;
    else
        munmap(map, kAltStack);
}

AltStack::~AltStack() {
    if (map_ == nullptr) return;
    const stack_t off{nullptr, SS_DISABLE, 0};
    sigaltstack(&off, nullptr);
    munmap(map_, kAltStack);
}

} // namespace xtc

using namespace xtc;

int xtc_stack_owner(const void* addr, xtc_pid_t* out, char* name, size_t cap) {
    Task* t = stack_owner(addr);
    if (t == nullptr) return XTC_E_NOTFOUND;
    if (out != nullptr) *out = t->kind == TaskKind::proc ? t->pid() : XTC_PID_NONE;
    if (name != nullptr && cap > 0) {
        size_t n = 0;
        for (; n + 1 < cap && t->name[n] != '\0'; ++n) name[n] = t->name[n];
        name[n] = '\0';
    }
    return XTC_OK;
}

int xtc_stack_report_install(int fd) {
    if (fd < 0) return XTC_E_INVAL;
    if (g_report_fd.exchange(fd, std::memory_order_acq_rel) >= 0) return XTC_OK; // installed before
    struct sigaction ours;
    std::memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGSEGV, &ours, &g_previous[0]) != 0 || sigaction(SIGBUS, &ours, &g_previous[1]) != 0) {
        g_report_fd.store(-1, std::memory_order_release);
        return XTC_E_INTERNAL;
    }
    return XTC_OK;
}
