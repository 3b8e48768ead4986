// SPDX-License-Identifier: ISC
#include "batch_app.hpp"

#include "batch_device.hpp"
#include "xtc_async.h"
#include "xtc_future.h"
#include "xtc_sim.h"

namespace xtc::sim {

namespace {

BatchRules draw_rules(Prng& draw, const Swarm& swarm) {
    BatchRules rules;
    rules.async = draw.chance({4, 5});
    rules.max_active = static_cast<size_t>(draw.magnitude(1, 8));
    rules.capacity = rules.max_active + static_cast<size_t>(draw.magnitude(0, 16));
    rules.units = static_cast<uint64_t>(draw.magnitude(1, 64));
    if (rules.async && draw.chance({5, 6})) {
        rules.mt_queue_cap =
            static_cast<size_t>(swarm.harm.tiny_queues ? draw.between(1, 3) : draw.magnitude(4, 64));
    }
    if (rules.async && draw.chance({2, 3})) rules.exec_timeout_ns = draw.magnitude(1'000, 20'000'000);
    // Here a loop may starve as long as another has work.
    if (swarm.knobs.order == Order::pessimal) rules.patience_ns *= 100;
    return rules;
}

} // namespace

BatchApp::BatchApp(uint64_t seed, int index, const Swarm& swarm, xtc_exec_t* exec, Complaints& complaints)
    : swarm_(swarm), exec_(exec), complaints_(complaints),
      draw_(Prng::derive(seed, "APP"), index == 0   ? "a"
                                       : index == 1 ? "b"
                                                    : "c"),
      owner_(static_cast<int>(draw_.below(static_cast<uint64_t>(swarm.loops)))),
      rules_(draw_rules(draw_, swarm)), oracle_(rules_, complaints),
      exits_inside_(swarm.harm.kill_driver && draw_.chance({1, 2})) {}

int BatchApp::create() {
    xtc_loop_t* const loop = xtc_exec_loop(exec_, owner_);
    if (!rules_.async) {
        xtc_batch_opts_t opts{};
        opts.size = sizeof opts;
        opts.version = XTC_BATCH_VERSION;
        opts.capacity = rules_.capacity;
        opts.max_active = rules_.max_active;
        opts.resource_capacity = rules_.units;
        opts.step = step;
        opts.complete = complete;
        opts.user = this;
        return xtc_batch_create(loop, &opts, &group_);
    }
    xtc_batch_async_opts_t opts{};
    opts.size = sizeof opts;
    opts.version = XTC_BATCH_VERSION;
    opts.capacity = rules_.capacity;
    opts.max_active = rules_.max_active;
    opts.resource_capacity = rules_.units;
    opts.exec_timeout_ns = rules_.exec_timeout_ns;
    opts.submit = submit_op;
    opts.collect = collect;
    opts.complete = complete;
    opts.cancel_hint = draw_.coin() ? hint : nullptr;
    opts.user = this;
    opts.mt_queue_cap = rules_.mt_queue_cap;
    return xtc_batch_create_async(loop, &opts, &group_);
}

// ---- the clients' side

bool BatchApp::on_owner_loop() const {
    return xtc_exec_loop_id() == owner_;
}

int BatchApp::submit(Prng& draw, bool want_reply, uint64_t* handle, xtc_future_t** reply) {
    const bool mt = rules_.mt_queue_cap > 0 && (!on_owner_loop() || draw.coin());
    uint64_t charge = static_cast<uint64_t>(draw.magnitude(1, static_cast<int64_t>(rules_.units)));
    if (draw.chance(swarm_.harm.callback_fails)) charge = draw.coin() ? 0 : rules_.units + 1;
    xtc_promise_t* promise = nullptr;
    if (want_reply) {
        if (xtc_future_new_pair(&promise, reply) != XTC_OK) return XTC_E_NOMEM;
        open_promises_++;
    }
    requests_.push_back({static_cast<uint32_t>(draw.magnitude(1, 12)), promise});
    const int status = mt ? xtc_batch_submit_mt(group_, &requests_.back(), charge, handle)
                          : xtc_batch_submit(group_, &requests_.back(), charge, handle);
    oracle_.submitted(mt, charge, status, *handle);
    if (status == XTC_OK) {
        issued_.push_back(*handle);
    } else {
        if (promise != nullptr) {
            xtc_promise_drop(promise);
            open_promises_--;
            xtc_future_discard(*reply);
        }
        requests_.pop_back();
    }
    return status;
}

int BatchApp::cancel(Prng& draw, uint64_t handle) {
    const bool mt = !on_owner_loop() || (rules_.mt_queue_cap > 0 && draw.coin());
    if (mt && rules_.mt_queue_cap == 0) return XTC_E_NOSYS;
    const int status = mt ? xtc_batch_cancel_mt(group_, handle) : xtc_batch_cancel(group_, handle);
    oracle_.cancelled(mt, handle, status, xtc_clock_mono());
    return status;
}

int BatchApp::resume(Prng& draw, uint64_t handle) {
    const bool mt = !on_owner_loop() || (rules_.mt_queue_cap > 0 && draw.coin());
    if (mt && rules_.mt_queue_cap == 0) return XTC_E_NOSYS;
    const int status = mt ? xtc_batch_resume_mt(group_, handle) : xtc_batch_resume(group_, handle);
    oracle_.resumed(mt, handle, status);
    return status;
}

void BatchApp::meddle_with_any(Prng& draw) {
    const uint64_t handle = any_handle(draw);
    draw.chance({1, 4}) ? cancel(draw, handle) : resume(draw, handle);
}

// The young ones are more likely to be somewhere on their way.
uint64_t BatchApp::any_handle(Prng& draw) const {
    if (issued_.empty()) return 1;
    const auto back = static_cast<size_t>(draw.magnitude(1, static_cast<int64_t>(issued_.size())));
    return issued_[issued_.size() - back];
}

int BatchApp::close(enum xtc_batch_close_mode mode) {
    const int status = xtc_batch_close(group_, mode);
    oracle_.closed(mode, status, xtc_clock_mono());
    return status;
}

int BatchApp::try_destroy() {
    const int status = xtc_batch_destroy(group_);
    oracle_.destroyed(status);
    if (status == XTC_OK) group_ = nullptr;
    return status;
}

void BatchApp::kill_driver() {
    if (!xtc_pid_is_none(driver_) && xtc_exit_pid(driver_, 9) == XTC_OK) oracle_.driver_killed();
}

void BatchApp::call_from_wrong_loop() {
    if (on_owner_loop() || group_ == nullptr) return;
    uint64_t handle = 77;
    const int answers[] = {xtc_batch_submit(group_, nullptr, 1, &handle), xtc_batch_cancel(group_, 1),
                           xtc_batch_resume(group_, 1), xtc_batch_close(group_, XTC_BATCH_CANCEL)};
    for (const int answer : answers) {
        if (answer != XTC_E_INVAL) complaints_.add("an owner's call from another loop answered %d", answer);
    }
    if (handle != 77) complaints_.add("a refused submit wrote the handle");
}

void BatchApp::look_at_stats() {
    if (!on_owner_loop() || group_ == nullptr) return;
    xtc_batch_stats_t stats{};
    stats.size = sizeof stats;
    stats.version = XTC_BATCH_VERSION;
    const int status = xtc_batch_get_stats(group_, &stats);
    if (status != XTC_OK) complaints_.add("statistics answered %d", status);
    oracle_.snapshot(stats);
    oracle_.overdue(xtc_clock_mono());
}

int BatchApp::drain_for(int64_t timeout_ns) {
    const bool refused = oracle_.in_callback();
    if (!refused) oracle_.may_be_cancelled();
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_batch_drain_for(group_, timeout_ns);
    if (xtc_clock_mono() - begun - timeout_ns > rules_.patience_ns)
        complaints_.add("drain_for took too long");
    if (status != (refused ? XTC_E_DEADLK : XTC_OK)) complaints_.add("drain_for answered %d", status);
    return status;
}

int BatchApp::destroy_and_judge() {
    if (group_ == nullptr) return XTC_OK;
    xtc_batch_stats_t stats{};
    xtc_batch_async_stats_t async_stats{};
    stats.size = sizeof stats;
    async_stats.size = sizeof async_stats;
    stats.version = async_stats.version = XTC_BATCH_VERSION;
    const int one = xtc_batch_get_stats(group_, &stats),
              two = xtc_batch_get_async_stats(group_, &async_stats);
    if (one != XTC_OK || two != XTC_OK) complaints_.add("statistics at the end answered %d and %d", one, two);
    const int status = try_destroy();
    if (status == XTC_OK) oracle_.finished(stats, async_stats);
    return status;
}

bool BatchApp::leaves_nothing() {
    if (open_promises_ != 0) complaints_.add("%zu replies never sent", open_promises_);
    if (!ops_.empty()) complaints_.add("%zu operations left over", ops_.size());
    return open_promises_ == 0 && ops_.empty();
}

} // namespace xtc::sim
