// SPDX-License-Identifier: ISC
#include "nrt/device_thread.hpp"

#include <xtc.h>

#include <cstdio>

#include "nrt/execution.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

namespace {

const Sleeper sleeper{[](void*, int64_t ns) { xtc_sleep_ns(ns); }, nullptr};

} // namespace

DeviceThread::~DeviceThread() {
    xtc_notify_destroy(asked_);
    xtc_notify_destroy(ended_);
}

int DeviceThread::start() {
    if (thread_.is_started()) return XTC_OK;
    if (asked_ == nullptr && xtc_notify_create(&asked_) != XTC_OK) return XTC_E_NOMEM;
    if (ended_ == nullptr && xtc_notify_create(&ended_) != XTC_OK) return XTC_E_NOMEM;
    char name[16];
    std::snprintf(name, sizeof name, "nrt-dev/%u", core_);
    return thread_.start(name, serve, this);
}

void DeviceThread::serve(void* arg) {
    auto* self = static_cast<DeviceThread*>(arg);
    for (;;) {
        xtc_notify_wait(self->asked_, -1);
        Execution* const kernel = self->kernel_.exchange(nullptr, std::memory_order_acquire);
        if (kernel == nullptr) return;
        self->outcome_ = kernel->run(sleeper);
        xtc_notify_signal(self->ended_);
    }
}

Outcome DeviceThread::run(Execution& execution) {
    if (const int rc = start(); rc != XTC_OK) {
        log(LogLevel::error, "No thread for the kernels of core %u: %s", core_, xtc_strerror(rc));
        return {Status::resource, false};
    }
    kernel_.store(&execution, std::memory_order_release);
    xtc_notify_signal(asked_);
    xtc_notify_wait(ended_, -1);
    return outcome_;
}

void DeviceThread::stop() noexcept {
    if (!thread_.is_started()) return;
    xtc_notify_signal(asked_);
    thread_.join();
}

} // namespace xtc::nrt
