// SPDX-License-Identifier: ISC
#include "batch/create.hpp"

#include "batch/engine.hpp"

#include <new>

namespace xtc {

namespace {

bool is_sound(const GroupPlan& plan) {
    const Callbacks& call = plan.callbacks;
    const GroupLimits& limits = plan.limits;
    const bool has_callbacks = call.complete != nullptr &&
                               (call.step != nullptr || (call.submit != nullptr && call.collect != nullptr));
    return has_callbacks && limits.max_active > 0 && limits.capacity >= limits.max_active &&
           limits.resource_capacity > 0 && limits.exec_timeout_ns >= 0;
}

int make_handin(Group& group) {
    const size_t queue_cap = group.limits.mt_queue_cap;
    if (queue_cap == 0) return XTC_OK;
    size_t bytes;
    if (const int rc = Handin::size_of(queue_cap, &bytes); rc != XTC_OK) return rc;
    if (const int rc = xtc_res_acquire(group.loop->res(), XTC_RES_MEM_BYTES, static_cast<int64_t>(bytes));
        rc != XTC_OK)
        return rc;
    group.charged_bytes = static_cast<int64_t>(bytes);
    group.handin.reset(new (std::nothrow) Handin);
    return group.handin != nullptr ? group.handin->init(queue_cap) : static_cast<int>(XTC_E_NOMEM);
}

int make_parts(Group& group) {
    const GroupLimits& limits = group.limits;
    if (const int rc = make_handin(group); rc != XTC_OK) return rc;
    if (const int rc = group.members.init(limits.capacity, limits.max_active, limits.resource_capacity,
                                          limits.mt_queue_cap);
        rc != XTC_OK)
        return rc;
    if (const int rc = group.vector.init(limits.max_active); rc != XTC_OK) return rc;
    return spawn_driver(group);
}

} // namespace

int create_group(Group& group, Loop& loop, const GroupPlan& plan) {
    if (!is_sound(plan)) return XTC_E_INVAL;
    if (plan.sched_class != nullptr && (plan.sched_class->loop != &loop || plan.sched_class->has_group))
        return XTC_E_INVAL;
    size_t ignored;
    if (const int rc = Handin::size_of(plan.limits.mt_queue_cap, &ignored); rc != XTC_OK) return rc;
    if (const int rc = Members::check_sizes(plan.limits.capacity, plan.limits.mt_queue_cap); rc != XTC_OK)
        return rc;
    if (loop.has_started()) return XTC_E_AGAIN;
    group.loop = &loop;
    group.fork_epoch = registry::fork_epoch();
    group.callbacks = plan.callbacks;
    group.limits = plan.limits;
    group.sched_class = plan.sched_class;
    if (group.sched_class != nullptr) group.sched_class->has_group = true;
    const int rc = make_parts(group);
    if (rc != XTC_OK) release_group(group);
    return rc;
}

void release_group(Group& group) {
    xtc_res_release(group.loop->res(), XTC_RES_MEM_BYTES, group.charged_bytes);
    group.charged_bytes = 0;
    if (group.sched_class != nullptr) group.sched_class->has_group = false;
}

} // namespace xtc
