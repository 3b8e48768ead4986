// SPDX-License-Identifier: ISC
#include "sync/future.hpp"

#include <new>

#include "loop/local.hpp"
#include "loop/loop.hpp"
#include "xtc_future.h"

namespace xtc {

void FutureCell::set(intptr_t value, int status) {
    value_ = value;
    status_ = status;
    cell_.signal(); // publishes both; the reader may be gone after it, our reference keeps the cell
    drop();
}

void FutureCell::take(intptr_t* out, int* status) {
    if (out != nullptr) *out = value_;
    *status = status_;
    drop();
}

void FutureCell::discard() {
    abandoned_.store(true, std::memory_order_release);
    drop();
}

namespace {

FutureCell* cell_of(xtc_future_t* f) {
    return reinterpret_cast<FutureCell*>(f);
}
FutureCell* cell_of(xtc_promise_t* p) {
    return reinterpret_cast<FutureCell*>(p);
}

int wait_on_fiber(FutureCell& f, Task& self, intptr_t* out, int64_t timeout_ns) {
    const int64_t deadline = deadline_after(*self.loop, timeout_ns);
    if (f.cell().wait(self, deadline, OnKill::unwind) == Woke::timeout) return XTC_E_AGAIN;
    int status = XTC_OK;
    f.take(out, &status);
    return status;
}

int wait_on_thread(FutureCell& f, intptr_t* out, int64_t timeout_ns) {
    int64_t deadline = INT64_MAX;
    if (timeout_ns >= 0 && __builtin_add_overflow(xtc_clock_mono(), timeout_ns, &deadline))
        deadline = INT64_MAX;
    switch (f.cell().wait_thread(deadline)) {
    case Woke::timeout:
        return XTC_E_AGAIN;
    case Woke::killed:
        return XTC_E_DEADLK;
    case Woke::event:
        break;
    }
    int status = XTC_OK;
    f.take(out, &status);
    return status;
}

} // namespace
} // namespace xtc

using namespace xtc;

int xtc_future_new_pair(xtc_promise_t** out_promise, xtc_future_t** out_future) {
    if (out_promise == nullptr || out_future == nullptr) return XTC_E_INVAL;
    auto* cell = new (std::nothrow) FutureCell;
    if (cell == nullptr) return XTC_E_NOMEM;
    *out_promise = reinterpret_cast<xtc_promise_t*>(cell);
    *out_future = reinterpret_cast<xtc_future_t*>(cell);
    return XTC_OK;
}

int xtc_promise_set(xtc_promise_t* promise, intptr_t value, int status) {
    if (promise == nullptr) return XTC_E_INVAL;
    cell_of(promise)->set(value, status);
    return XTC_OK;
}

void xtc_promise_drop(xtc_promise_t* promise) {
    if (promise != nullptr) cell_of(promise)->set(0, XTC_E_ABORTED);
}

int xtc_promise_abandoned(const xtc_promise_t* promise) {
    return promise != nullptr && reinterpret_cast<const FutureCell*>(promise)->is_abandoned() ? 1 : 0;
}

int xtc_future_await(xtc_future_t* future, intptr_t* out) {
    Task* self = current_fiber();
    if (future == nullptr || self == nullptr) return XTC_E_INVAL;
    return wait_on_fiber(*cell_of(future), *self, out, -1);
}

int xtc_future_wait(xtc_future_t* future, intptr_t* out, int64_t timeout_ns) {
    if (future == nullptr) return XTC_E_INVAL;
    if (current_loop() == nullptr) return wait_on_thread(*cell_of(future), out, timeout_ns);
    Task* self = current_fiber();
    if (self == nullptr) return XTC_E_INVAL;
    return wait_on_fiber(*cell_of(future), *self, out, timeout_ns);
}

int xtc_future_ready(xtc_future_t* future, int* is_ready) {
    if (future == nullptr || is_ready == nullptr) return XTC_E_INVAL;
    *is_ready = cell_of(future)->is_ready() ? 1 : 0;
    return XTC_OK;
}

int xtc_future_discard(xtc_future_t* future) {
    if (future == nullptr) return XTC_E_INVAL;
    cell_of(future)->discard();
    return XTC_OK;
}
