// SPDX-License-Identifier: ISC
#include "nrt/loops.hpp"

#include <xtc_blocking.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <pthread.h>

#include "base/assert.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

namespace {

thread_local bool own_thread = false;

} // namespace

bool Loops::is_own_thread() noexcept {
    return own_thread;
}

NRT_STATUS Loops::start(xtc_exec_t* host, uint32_t cores, std::unique_ptr<Loops>* out) {
    std::unique_ptr<Loops> loops(new (std::nothrow) Loops);
    if (loops == nullptr) return NRT_RESOURCE;
    if (host != nullptr) {
        loops->exec_ = host;
        loops->count_ = static_cast<uint32_t>(xtc_exec_n_loops(host));
        loops->at_fini_ = {[](void* self) { static_cast<Loops*>(self)->is_gone_.store(true); }, loops.get(),
                           nullptr};
        xtc_seam_exec_at_fini(host, &loops->at_fini_);
    } else if (const NRT_STATUS status = loops->start_own(cores); status != NRT_SUCCESS) {
        return status;
    }
    *out = std::move(loops);
    return NRT_SUCCESS;
}

Loops::~Loops() {
    if (at_fini_.fn != nullptr && !is_gone_.load()) xtc_seam_exec_forget_fini(exec_, &at_fini_);
}

bool Loops::try_hold() noexcept {
    if (own_) return false;
    if (!is_held_ && !is_gone_.load()) is_held_ = xtc_seam_exec_hold(exec_) == XTC_OK;
    return is_held_ || is_gone_.load();
}

void Loops::let_go() noexcept {
    if (is_held_) xtc_seam_exec_let_go(exec_);
    is_held_ = false;
}

NRT_STATUS Loops::start_own(uint32_t cores) {
    count_ = std::min(cores, static_cast<uint32_t>(std::max(xtc_ncpus(), 1)));
    int rc = xtc_exec_init(&exec_, static_cast<int>(count_));
    if (rc != XTC_OK) {
        log(LogLevel::error, "No loops could be made for the cores: %s", xtc_strerror(rc));
        return status_of(rc);
    }
    own_ = true;
    xtc_exec_set_service_mode(exec_, 1);
    for (uint32_t i = 0; i < count_ && rc == XTC_OK; ++i)
        rc = xtc_exec_spawn_on(exec_, static_cast<int>(i), name_thread, this, nullptr);
    if (rc == XTC_OK) rc = runner_.start("nrt-xu", run, this);
    if (rc == XTC_OK) rc = started_.wait([this] { return running_.load() == count_ || ended_.load(); });
    if (rc == XTC_OK && ended_.load()) rc = run_status_.load();
    if (rc == XTC_OK) return NRT_SUCCESS;
    log(LogLevel::error, "The loops of the cores did not start: %s", xtc_strerror(rc));
    stop();
    return status_of(rc);
}

// The executor names its threads after itself; a core's thread is found by the name of its unit.
int Loops::name_thread(xtc_task_t*, void* arg) {
    auto* loops = static_cast<Loops*>(arg);
    char name[16];
    std::snprintf(name, sizeof name, "nrt-xu/%d", xtc_exec_loop_id());
    ::pthread_setname_np(::pthread_self(), name);
    own_thread = true;
    loops->running_.fetch_add(1);
    loops->started_.changed();
    return XTC_TASK_DONE;
}

void Loops::run(void* arg) {
    auto* loops = static_cast<Loops*>(arg);
    loops->run_status_.store(xtc_exec_run(loops->exec_));
    loops->ended_.store(true);
    loops->started_.changed();
}

int Loops::stop_off_loop(void* arg) {
    auto* loops = static_cast<Loops*>(arg);
    if (loops->runner_.is_started()) {
        xtc_exec_stop(loops->exec_);
        loops->runner_.join();
    }
    const int rc = xtc_exec_fini(loops->exec_);
    XTC_ASSERT(rc == XTC_OK);
    return rc;
}

void Loops::stop() {
    if (!own_ || exec_ == nullptr) return;
    // On a fiber the joins happen on a thread of the pool; where that has none left, right here.
    if (xtc_blocking_run(stop_off_loop, this, nullptr) != XTC_OK) stop_off_loop(this);
    exec_ = nullptr;
}

} // namespace xtc::nrt
