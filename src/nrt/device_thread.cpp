// SPDX-License-Identifier: ISC
#include "nrt/device_thread.hpp"

#include <cstdio>

#include "nrt/log.hpp"
#include "nrt/masked.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

NRT_STATUS DeviceThread::start() {
    if (!is_made_ && !(given_.make() && done_.make())) return NRT_RESOURCE;
    is_made_ = true;
    char name[16];
    std::snprintf(name, sizeof name, "nrt-dev/%u", core_);
    const int rc = thread_.start(name, enter, this);
    if (rc != XTC_OK)
        log(LogLevel::error, "No thread for the kernels of core %u: %s", core_, xtc_strerror(rc));
    return status_of(rc);
}

NRT_STATUS DeviceThread::run(void (*kernel)(void*), void* arg) {
    if (!thread_.is_started())
        if (const NRT_STATUS status = start(); status != NRT_SUCCESS) return status;
    Masked masked; // the kernel writes to the caller's memory until it is done
    kernel_ = kernel;
    arg_ = arg;
    given_.signal();
    done_.wait();
    masked.leave();
    return NRT_SUCCESS;
}

void DeviceThread::enter(void* self) {
    static_cast<DeviceThread*>(self)->work();
}

void DeviceThread::work() {
    for (;;) {
        given_.wait();
        if (is_ending_.load(std::memory_order_acquire)) return;
        kernel_(arg_);
        done_.signal();
    }
}

void DeviceThread::stop() {
    if (!thread_.is_started()) return;
    is_ending_.store(true, std::memory_order_release);
    given_.signal();
    thread_.join();
}

void DeviceThread::end_early() {
    if (!thread_.is_started()) return;
    stop();
    done_.signal();
}

} // namespace xtc::nrt
