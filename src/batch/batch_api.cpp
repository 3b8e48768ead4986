// SPDX-License-Identifier: ISC
//
// C ABI of xtc_batch.h: who may call, in which state, with what; the work is done elsewhere. The order of the
// checks is the manual's: caller, callback in flight, arguments, state.
#include "batch/boundary.hpp"
#include "batch/create.hpp"
#include "batch/drain_for.hpp"
#include "batch/engine.hpp"

#include <new>

using namespace xtc;

namespace {

// Changes are for the owner loop, and before its first run for whoever sets it up.
int check_owner(const Group* group) {
    if (group == nullptr || group->is_inherited()) return XTC_E_INVAL;
    const Loop* here = current_loop();
    const bool sets_up = here == nullptr && !group->loop->has_started();
    return here == group->loop || sets_up ? XTC_OK : XTC_E_INVAL;
}

int check_mutator(const Group* group) {
    if (const int rc = check_owner(group); rc != XTC_OK) return rc;
    return group->in_callback ? XTC_E_DEADLK : XTC_OK;
}

// The owner loop, or any thread while it does not run.
int check_quiescent(const Group* group) {
    if (group == nullptr || group->is_inherited()) return XTC_E_INVAL;
    return group->loop->is_callers() ? XTC_OK : XTC_E_INVAL;
}

template <typename Descriptor> int check_descriptor(const Descriptor* d) {
    if (d == nullptr) return XTC_E_INVAL;
    if (d->version != XTC_BATCH_VERSION) return XTC_E_VERSION;
    return d->size == sizeof(Descriptor) ? XTC_OK : XTC_E_INVAL;
}

int create(xtc_loop_t* loop, const GroupPlan& plan, xtc_batch_t** out) {
    Loop* owner = reinterpret_cast<Loop*>(loop);
    if (owner->inherited()) return XTC_E_INVAL;
    std::unique_ptr<xtc_batch> group(new (std::nothrow) xtc_batch);
    if (group == nullptr) return XTC_E_NOMEM;
    const int rc = create_group(*group, *owner, plan);
    if (rc == XTC_OK) *out = group.release();
    return rc;
}

// One of the _mt calls: any thread, so nothing but constants and atomics.
int check_any_thread(const Group* group) {
    if (group == nullptr || group->is_inherited()) return XTC_E_INVAL;
    return group->handin != nullptr ? XTC_OK : XTC_E_NOSYS;
}

int refuse_mt(Group& group) {
    add_saturating(group.mt_rejections, 1);
    return XTC_E_AGAIN;
}

int submit_mt(Group& group, void* request, uint64_t charge, uint64_t* out_handle) {
    Handin& handin = *group.handin;
    if (handin.ring.is_closed()) return refuse_mt(group);
    SubmitRecord* record = handin.submits.claim();
    if (record == nullptr) return refuse_mt(group);
    const uint64_t handle = group.handles.take();
    if (handle == 0) {
        handin.submits.give(*record);
        return XTC_E_RANGE;
    }
    record->handle = handle;
    record->request = request;
    record->charge = charge;
    const uint64_t place = handin.ring.reserve_for_submit();
    if (place == HandinRing::kNone) {
        handin.submits.give(*record);
        return refuse_mt(group);
    }
    *out_handle = handle; // before the entry: complete may run, and read it, before we return
    handin.ring.publish(place, *record);
    group.boundary.signal();
    return XTC_OK;
}

int control_mt(Group* group, uint64_t handle, Control what) {
    if (const int rc = check_any_thread(group); rc != XTC_OK) return rc;
    if (!group->handles.was_issued(handle)) return XTC_E_INVAL;
    Handin& handin = *group->handin;
    if (handin.ring.is_finished()) return XTC_E_INVAL;
    ControlRecord* record = handin.controls.claim();
    if (record == nullptr) return refuse_mt(*group);
    record->handle = handle;
    record->what = what;
    const uint64_t place = handin.ring.reserve_for_control();
    if (place == HandinRing::kNone) {
        handin.controls.give(*record);
        return XTC_E_INVAL;
    }
    handin.ring.publish(place, *record);
    group->boundary.signal();
    return XTC_OK;
}

int submit(Group& group, void* request, uint64_t charge, uint64_t* out_handle) {
    if (out_handle == nullptr) return XTC_E_INVAL;
    if (charge == 0 || charge > group.limits.resource_capacity) return XTC_E_RANGE;
    if (group.closing.is_closed()) return XTC_E_AGAIN;
    // What was handed in before goes before.
    if (!take_in(group) || !group.members.held.empty() || !group.members.has_slot()) return XTC_E_AGAIN;
    const uint64_t handle = group.handles.take();
    if (handle == 0) return XTC_E_RANGE;
    group.members.add(handle, request, charge);
    group.boundary.signal();
    *out_handle = handle;
    return XTC_OK;
}

} // namespace

int xtc_batch_create(xtc_loop_t* loop, const xtc_batch_opts_t* opts, xtc_batch_t** out) {
    if (loop == nullptr || out == nullptr) return XTC_E_INVAL;
    if (const int rc = check_descriptor(opts); rc != XTC_OK) return rc;
    if (opts->step == nullptr) return XTC_E_INVAL;
    GroupPlan plan;
    plan.callbacks.step = opts->step;
    plan.callbacks.complete = opts->complete;
    plan.callbacks.user = opts->user;
    plan.limits.capacity = opts->capacity;
    plan.limits.max_active = opts->max_active;
    plan.limits.resource_capacity = opts->resource_capacity;
    plan.sched_class = opts->sched_class;
    return create(loop, plan, out);
}

int xtc_batch_create_async(xtc_loop_t* loop, const xtc_batch_async_opts_t* opts, xtc_batch_t** out) {
    if (loop == nullptr || out == nullptr) return XTC_E_INVAL;
    if (const int rc = check_descriptor(opts); rc != XTC_OK) return rc;
    GroupPlan plan;
    plan.callbacks.submit = opts->submit;
    plan.callbacks.collect = opts->collect;
    plan.callbacks.complete = opts->complete;
    plan.callbacks.cancel_hint = opts->cancel_hint;
    plan.callbacks.user = opts->user;
    plan.limits.capacity = opts->capacity;
    plan.limits.max_active = opts->max_active;
    plan.limits.resource_capacity = opts->resource_capacity;
    plan.limits.exec_timeout_ns = opts->exec_timeout_ns;
    plan.limits.mt_queue_cap = opts->mt_queue_cap;
    plan.sched_class = opts->sched_class;
    return create(loop, plan, out);
}

int xtc_batch_submit(xtc_batch_t* group, void* request, uint64_t charge, uint64_t* out_handle) {
    if (const int rc = check_mutator(group); rc != XTC_OK) return rc;
    const int rc = submit(*group, request, charge, out_handle);
    if (rc != XTC_OK) add_saturating(group->stats.rejections, 1);
    return rc;
}

int xtc_batch_submit_mt(xtc_batch_t* group, void* request, uint64_t charge, uint64_t* out_handle) {
    if (const int rc = check_any_thread(group); rc != XTC_OK) return rc;
    if (out_handle == nullptr) return XTC_E_INVAL;
    if (charge == 0 || charge > group->limits.resource_capacity) return XTC_E_RANGE;
    return submit_mt(*group, request, charge, out_handle);
}

int xtc_batch_cancel(xtc_batch_t* group, uint64_t handle) {
    if (const int rc = check_mutator(group); rc != XTC_OK) return rc;
    if (!take_in(*group)) return XTC_E_AGAIN;
    Member* m = group->members.find(handle);
    if (m == nullptr) return XTC_E_INVAL;
    record_cancel(*group, *m);
    group->boundary.signal();
    return XTC_OK;
}

int xtc_batch_cancel_mt(xtc_batch_t* group, uint64_t handle) {
    return control_mt(group, handle, Control::cancel);
}

int xtc_batch_resume(xtc_batch_t* group, uint64_t handle) {
    if (const int rc = check_mutator(group); rc != XTC_OK) return rc;
    Member* m = group->members.find(handle);
    if (m == nullptr || !record_resume(*group, *m)) return XTC_E_INVAL;
    group->boundary.signal();
    return XTC_OK;
}

int xtc_batch_resume_mt(xtc_batch_t* group, uint64_t handle) {
    return control_mt(group, handle, Control::resume);
}

int xtc_batch_close(xtc_batch_t* group, enum xtc_batch_close_mode mode) {
    if (const int rc = check_mutator(group); rc != XTC_OK) return rc;
    if (!Closing::is_mode(mode)) return XTC_E_INVAL;
    close_group(*group, mode);
    return XTC_OK;
}

int xtc_batch_drain_for(xtc_batch_t* group, int64_t timeout_ns) {
    if (const int rc = check_owner(group); rc != XTC_OK) return rc;
    if (group->in_callback) return XTC_E_DEADLK;
    Task* self = current_fiber();
    if (self == nullptr) return XTC_E_INVAL;
    if (is_driver(*group, *self)) return XTC_E_DEADLK; // in an exit hook: it would wait for itself
    drain_for(*group, *self, timeout_ns);
    return XTC_OK;
}

int xtc_batch_destroy(xtc_batch_t* group) {
    if (const int rc = check_quiescent(group); rc != XTC_OK) return rc;
    if (group->in_callback) return XTC_E_DEADLK;
    if (!group->closing.is_closed() || !is_driver_gone(*group)) return XTC_E_AGAIN;
    release_group(*group);
    delete group;
    return XTC_OK;
}

int xtc_batch_get_stats(xtc_batch_t* group, xtc_batch_stats_t* out) {
    if (const int rc = check_quiescent(group); rc != XTC_OK) return rc;
    if (const int rc = check_descriptor(out); rc != XTC_OK) return rc;
    const Members& members = group->members;
    const GroupStats& s = group->stats;
    out->queued = members.count(MemberState::waiting) + members.count(MemberState::handed_in);
    out->ready = members.count(MemberState::ready) + members.count(MemberState::stepping);
    out->blocked = members.count(MemberState::blocked);
    out->reserved_units = members.units();
    out->iterations = s.iterations;
    out->completed = s.completed;
    out->cancelled = s.cancelled;
    out->failed = s.failed;
    out->rejections = s.rejections;
    out->max_vector = s.max_vector;
    out->total_members = s.total_members;
    return XTC_OK;
}

int xtc_batch_get_async_stats(xtc_batch_t* group, xtc_batch_async_stats_t* out) {
    if (const int rc = check_quiescent(group); rc != XTC_OK) return rc;
    if (const int rc = check_descriptor(out); rc != XTC_OK) return rc;
    const GroupStats& s = group->stats;
    out->offloads = s.offloads;
    out->offload_timeouts = s.offload_timeouts;
    out->offload_errors = s.offload_errors;
    out->mt_queued = group->members.count(MemberState::handed_in);
    if (group->handin != nullptr) out->mt_queued += group->handin->ring.submits_waiting();
    out->mt_rejections = group->mt_rejections.load(std::memory_order_relaxed);
    return XTC_OK;
}
