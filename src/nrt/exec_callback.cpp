// SPDX-License-Identifier: ISC
#include "nrt/exec_callback.hpp"

#include <mutex>

#include "nrt/callout.hpp"
#include "nrt/log.hpp"

namespace xtc::nrt {

namespace {

struct Registered {
    NRT_ASYNC_EXEC_STATUS_CALLBACK callback = nullptr;
    void* params = nullptr;
};

constinit std::mutex lock;
constinit Registered registered;

Registered current() {
    const std::lock_guard hold(lock);
    return registered;
}

} // namespace

void set_exec_callback(NRT_ASYNC_EXEC_STATUS_CALLBACK callback, void* params) {
    const std::lock_guard hold(lock);
    registered = {callback, params};
}

void hold_exec_callback() noexcept {
    lock.lock();
}

void release_exec_callback() noexcept {
    lock.unlock();
}

void call_exec_callback(uint32_t model_id, uint32_t vnc, uint64_t job_id, NRT_STATUS status) {
    const Registered to = current(); // it may register another one
    if (to.callback != nullptr) {
        const Callout inside(Callout::Kind::core);
        return to.callback(to.params, model_id, vnc, job_id, status);
    }
    if (status != NRT_SUCCESS)
        log(LogLevel::error, "Execution %llu of model %u on core %u failed: %s",
            static_cast<unsigned long long>(job_id), model_id, vnc, nrt_get_status_as_str(status));
}

} // namespace xtc::nrt
