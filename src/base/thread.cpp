// SPDX-License-Identifier: ISC
#include "base/thread.hpp"

#include "base/assert.hpp"

#include <xtc.h>

#include <csignal>
#include <memory>
#include <new>

namespace xtc {

namespace {

struct Start {
    void (*body)(void*);
    void* arg;
    char name[16];
};

void* enter(void* raw) {
    const Start start = *std::unique_ptr<Start>(static_cast<Start*>(raw));
    ::pthread_setname_np(::pthread_self(), start.name);
    start.body(start.arg);
    return nullptr;
}

sigset_t all_but_own_faults() {
    sigset_t blocked;
    ::sigfillset(&blocked);
    for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
        ::sigdelset(&blocked, kept);
    return blocked;
}

} // namespace

Thread::~Thread() {
    XTC_ASSERT(!started_);
}

int Thread::start(const char* name, void (*body)(void*), void* arg) noexcept {
    XTC_ASSERT(!started_);
    std::unique_ptr<Start> start(new (std::nothrow) Start{body, arg, {}});
    if (start == nullptr) return XTC_E_NOMEM;
    xtc_strlcpy(start->name, name, sizeof(start->name));

    // The new thread inherits the mask: blocking before it exists leaves no moment in which it could be hit.
    const sigset_t blocked = all_but_own_faults();
    sigset_t before;
    ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int rc = ::pthread_create(&id_, nullptr, enter, start.get());
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (rc != 0) return XTC_E_RESOURCE;
    start.release();
    started_ = true;
    return XTC_OK;
}

void Thread::join() noexcept {
    XTC_ASSERT(started_);
    ::pthread_join(id_, nullptr);
    started_ = false;
}

} // namespace xtc
