// SPDX-License-Identifier: ISC
//
// The group's side of a BatchApp: callbacks, and the device they launch on.
#include "batch_device.hpp"

#include "xtc_accel.h"
#include "xtc_async.h"
#include "xtc_future.h"
#include "xtc_sim.h"

namespace xtc::sim {

namespace {

constexpr int error_codes[] = {XTC_E_INVAL, XTC_E_NOMEM, XTC_E_RESOURCE, XTC_E_ABORTED, XTC_E_IO};
// False in a build without accelerators.
bool can_wait_for_fences() {
    static const bool can = [] {
        int found = 0;
        return xtc_accel_probe(nullptr, 0, &found) != XTC_E_NOSYS;
    }();
    return can;
}

constexpr int no_descriptor = (1 << 30) + (1 << 20); // never handed out

} // namespace

BatchApp::~BatchApp() = default;

// A callback tells the oracle when it begins and ends, and how it was called.
class InCallback {
public:
    explicit InCallback(BatchOracle& oracle) : oracle_(oracle) { oracle_.entered(); }
    ~InCallback() { oracle_.left(); }
    InCallback(const InCallback&) = delete;
    InCallback& operator=(const InCallback&) = delete;

private:
    BatchOracle& oracle_;
};

void BatchApp::dawdle() {
    if (exits_inside_ && !healed_ && draw_.chance({1, 20})) {
        exits_inside_ = false;
        oracle_.driver_killed();
        xtc_exit_self(4);
    }
    if (healed_ || !draw_.chance(swarm_.harm.callback_slow)) return;
    if (draw_.coin()) {
        for (int64_t i = draw_.between(1, 4); i > 0; i--) xtc_yield();
    } else {
        xtc_proc_sleep(draw_.magnitude(0, 100'000));
    }
}

void BatchApp::meddle() {
    if (healed_ || !draw_.chance(swarm_.harm.callback_calls)) return;
    const uint64_t some = any_handle(draw_);
    uint64_t handle = 0;
    xtc_future_t* reply = nullptr;
    switch (draw_.below(7)) {
    case 0:
        submit(draw_, false, &handle, &reply);
        break;
    case 1:
        cancel(draw_, some);
        break;
    case 2:
        resume(draw_, some);
        break;
    case 3:
        look_at_stats();
        break;
    case 4:
        close(draw_.coin() ? XTC_BATCH_DRAIN : XTC_BATCH_CANCEL);
        break;
    case 5:
        try_destroy();
        break;
    default:
        call_from_wrong_loop();
        break;
    }
}

int BatchApp::draw_code() {
    constexpr int no_codes[] = {1, 77, -13, -1000};
    return draw_.chance({3, 4}) ? draw_.pick(error_codes) : draw_.pick(no_codes);
}

int BatchApp::decide(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count) {
    const Harm& harm = swarm_.harm;
    for (size_t i = 0; i < count; i++) {
        if (results[i].state != XTC_BATCH_UNSET)
            complaints_.add("a result arrived with state %d", results[i].state);
        auto& request = *static_cast<Request*>(items[i].request);
        if (request.ended) complaints_.add("an ended request's memory in a vector");
        if (!healed_ && draw_.chance(harm.callback_fails)) {
            constexpr int states[] = {XTC_BATCH_UNSET, XTC_BATCH_ERROR, 99};
            results[i] = {draw_.pick(states), draw_code()};
        } else if (!healed_ && draw_.chance(harm.block)) {
            results[i].state = XTC_BATCH_BLOCKED;
            blocked_.push_back(items[i].handle);
        } else {
            results[i].state =
                healed_ || --request.iterations_left == 0 ? XTC_BATCH_DONE : XTC_BATCH_CONTINUE;
        }
    }
    return !healed_ && draw_.chance({harm.callback_fails.num, harm.callback_fails.den * 4}) ? draw_code() : 0;
}

int BatchApp::step(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count, void* user) {
    auto& app = *static_cast<BatchApp*>(user);
    const InCallback in(app.oracle_);
    app.driver_ = xtc_self();
    app.oracle_.vector({items, count});
    app.dawdle();
    app.meddle();
    const int code = app.decide(items, results, count);
    app.oracle_.results({results, count}, code);
    return code;
}

int BatchApp::submit_op(const xtc_batch_item_t* items, size_t count, void* user, xtc_batch_exec_t* out) {
    auto& app = *static_cast<BatchApp*>(user);
    const InCallback in(app.oracle_);
    app.driver_ = xtc_self();
    app.oracle_.vector({items, count});
    if (out->kind != 0 || out->fence_fd != -1 || out->future != nullptr) {
        app.complaints_.add("out_exec did not arrive empty");
    }
    app.dawdle();
    app.meddle();
    if (!app.healed_ &&
        app.draw_.chance({app.swarm_.harm.callback_fails.num, app.swarm_.harm.callback_fails.den * 4})) {
        const int code = app.draw_code();
        app.oracle_.refused(code);
        return code;
    }
    const uint64_t id = ++app.last_op_;
    Op& op = *app.ops_.emplace(id, std::make_unique<Op>()).first->second;
    op.app = &app;
    op.id = id;
    if (!app.launch(op, *out)) {
        app.ops_.erase(id);
        app.oracle_.refused(XTC_E_RESOURCE);
        return XTC_E_RESOURCE;
    }
    app.current_op_ = id;
    app.oracle_.launched(id, out->kind, xtc_clock_mono());
    return XTC_OK;
}

// False: no room for the device's process.
bool BatchApp::launch(Op& op, xtc_batch_exec_t& out) {
    const Harm& harm = swarm_.harm;
    op.latency = draw_.magnitude(harm.device_time.lo, harm.device_time.hi);
    op.hangs = !healed_ && draw_.chance(harm.hang);
    op.is_bad = !healed_ && draw_.chance(harm.bad_token);
    op.kind = static_cast<int>(draw_.between(XTC_BATCH_EXEC_SYNC, XTC_BATCH_EXEC_BLOCKING));
    if (op.kind == XTC_BATCH_EXEC_FENCE && !can_wait_for_fences()) op.kind = XTC_BATCH_EXEC_FUTURE;
    out.kind = op.kind;
    switch (op.kind) {
    case XTC_BATCH_EXEC_SYNC:
        op.device_done = true;
        if (op.is_bad) out.kind = draw_.coin() ? 0 : 77;
        return true;
    case XTC_BATCH_EXEC_FENCE:
        if (xtc_sim_fd_create(exec_, &op.fd) != XTC_OK) return false;
        out.fence_fd = op.fd;
        if (op.is_bad && draw_.coin()) {
            out.fence_fd = draw_.coin() ? no_descriptor : -1;
            op.device_done = true;
            oracle_.unawaitable(op.id, XTC_E_INVAL);
            return true;
        }
        break;
    case XTC_BATCH_EXEC_FUTURE:
        if (xtc_future_new_pair(&op.promise, &out.future) != XTC_OK) return false;
        break;
    default:
        out.run = closure;
        out.arg = &op;
        if (!swarm_.knobs.offload_refused.never()) oracle_.unawaitable(op.id, XTC_E_RESOURCE);
        return true;
    }
    if (draw_.chance({1, 10}) && !op.hangs) {
        deliver(op); // over before submit has returned
        return true;
    }
    xtc_loop_t* const loop =
        xtc_exec_loop(exec_, static_cast<int>(draw_.below(static_cast<uint64_t>(swarm_.loops))));
    if (xtc_proc_spawn(loop, device, &op, nullptr, nullptr) == XTC_OK) return true;
    if (op.promise != nullptr) {
        xtc_promise_drop(op.promise);
        xtc_future_discard(out.future);
    }
    if (op.fd >= 0) xtc_sim_fd_close(op.fd);
    return false;
}

void BatchApp::device(void* arg) {
    Op& op = *static_cast<Op*>(arg);
    xtc_proc_sleep(op.latency);
    while (op.hangs && !op.app->healed_ && !op.hinted)
        xtc_proc_sleep(op.app->draw_.magnitude(100'000, 5'000'000));
    op.app->deliver(op);
}

void BatchApp::deliver(Op& op) {
    if (op.promise != nullptr) {
        const uint64_t how = op.is_bad ? 1 + draw_.below(3) : 0;
        const int code = draw_.pick(error_codes);
        if (xtc_promise_abandoned(op.promise) != (op.collected ? 1 : 0)) {
            complaints_.add("a promise is %s",
                            op.collected ? "kept by nobody and not given up" : "given up early");
        }
        oracle_.device_finished(op.id, how == 0   ? XTC_OK
                                       : how == 1 ? code
                                       : how == 2 ? XTC_E_ABORTED
                                                  : XTC_E_INTERNAL);
        switch (how) {
        case 0:
            xtc_promise_set(op.promise, 1, XTC_OK);
            break;
        case 1:
            xtc_promise_set(op.promise, 0, code);
            break;
        case 2:
            xtc_promise_drop(op.promise);
            break;
        default:
            xtc_promise_set(op.promise, 0, 5);
            break; // not a status
        }
    } else {
        constexpr uint32_t good[] = {XTC_IO_READABLE, XTC_IO_READABLE, XTC_IO_READABLE | XTC_IO_HUP};
        constexpr uint32_t bad[] = {XTC_IO_ERR, XTC_IO_HUP, XTC_IO_READABLE | XTC_IO_ERR};
        oracle_.device_finished(op.id, op.is_bad ? XTC_E_INVAL : XTC_OK);
        const uint32_t bits = op.is_bad ? draw_.pick(bad) : draw_.pick(good);
        const int64_t delay = draw_.coin() ? 0 : draw_.magnitude(0, 100'000);
        if (xtc_sim_fd_signal(op.fd, bits, delay) != XTC_OK)
            complaints_.add("a fence could not be signalled");
    }
    op.device_done = true;
    reap(op);
}

int BatchApp::closure(void* arg) {
    Op& op = *static_cast<Op*>(arg);
    op.app->oracle_.device_finished(op.id);
    op.device_done = true;
    op.app->reap(op);
    return 0;
}

void BatchApp::reap(Op& op) {
    if (!op.device_done || !op.collected) return;
    if (op.fd >= 0 && xtc_sim_fd_close(op.fd) != XTC_OK) complaints_.add("a fence could not be closed");
    ops_.erase(op.id);
}

int BatchApp::collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t count,
                      int exec_status, void* user) {
    auto& app = *static_cast<BatchApp*>(user);
    const InCallback in(app.oracle_);
    app.oracle_.collected(app.current_op_, {items, count}, exec_status, xtc_clock_mono());
    if (const auto found = app.ops_.find(app.current_op_); found != app.ops_.end()) {
        Op& op = *found->second;
        op.collected = true;
        if (exec_status < 0 && op.kind == XTC_BATCH_EXEC_BLOCKING)
            op.device_done = true; // refused: never ran
        app.reap(op);
    }
    app.dawdle();
    app.meddle();
    const int code = app.decide(items, results, count);
    app.oracle_.results({results, count}, code);
    return code;
}

void BatchApp::complete(uint64_t handle, void* request, int outcome, void* user) {
    auto& app = *static_cast<BatchApp*>(user);
    const InCallback in(app.oracle_);
    app.oracle_.completed(handle, outcome);
    if (outcome == XTC_OK) app.completed_ok_++;
    auto& ended = *static_cast<Request*>(request);
    ended.ended = true;
    if (ended.reply != nullptr) {
        app.open_promises_--;
        xtc_promise_set(ended.reply, outcome, XTC_OK); // an outcome may be AGAIN, which reads like a timeout
    }
    app.dawdle();
    app.meddle();
}

void BatchApp::hint(uint64_t handle, void*, void* user) {
    auto& app = *static_cast<BatchApp*>(user);
    const InCallback in(app.oracle_);
    app.oracle_.hinted(handle);
    if (const auto found = app.ops_.find(app.current_op_); found != app.ops_.end())
        found->second->hinted = true;
    app.dawdle();
    app.meddle();
}

} // namespace xtc::sim
