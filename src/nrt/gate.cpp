// SPDX-License-Identifier: ISC
#include "nrt/gate.hpp"

#include "nrt/lifecycle.hpp"
#include "nrt/log.hpp"

namespace xtc::nrt {

namespace {

NRT_STATUS judge(State state) noexcept {
    switch (state) {
    case State::init:
        return NRT_SUCCESS;
    case State::closed:
        return NRT_CLOSED;
    case State::start:
        return NRT_UNINITIALIZED;
    case State::child:
        break;
    }
    return NRT_FAILURE;
}

void log_refusal(State state) noexcept {
    if (state == State::closed) return log(LogLevel::warn, "NRT already closed");
    if (state == State::start) return log(LogLevel::error, "NRT uninitialized");
    log(LogLevel::error, "Incompatible runtime state: %s", name_of(state));
}

} // namespace

// Of every call, so only a fiber of the host's pays for more than two counts.
Gate::Gate(Family family) noexcept
    : lane_(Lifecycle::the().enter()), dropped_([](void* self) { static_cast<Gate*>(self)->leave(); }, this) {
    const State state = Lifecycle::the().state();
    refusal_ = judge(state);
    if (!is_open()) {
        if (family != Family::unlogged) log_refusal(state);
        return;
    }
    runtime_ = &Lifecycle::the().runtime();
    if (runtime_->loops().is_on_hosts()) {
        is_on_host_ = true;
        Lifecycle::the().move_to_host(lane_, *runtime_);
    }
    if (family == Family::explicit_async && runtime().settings().implicit_async()) {
        log(LogLevel::error, "Explicit async API cannot be used in implicit async mode "
                             "(where NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS is set). ");
        refusal_ = NRT_FAILURE;
    }
}

Gate::~Gate() {
    leave();
}

void Gate::leave() noexcept {
    if (is_on_host_) return Lifecycle::the().leave_host(*runtime_);
    Lifecycle::the().leave(lane_);
}

bool is_given(const void* pointer, const char* name) noexcept {
    if (pointer != nullptr) return true;
    log(LogLevel::error, "%s is NULL", name);
    return false;
}

} // namespace xtc::nrt
