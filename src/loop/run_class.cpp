// SPDX-License-Identifier: ISC
#include "loop/run_class.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/assert.hpp"

namespace xtc {

namespace {

// A run costs at least this: what a switch and two looks at the clock take. Without it runs too short for the
// clock, and all runs of a simulation, would be free.
constexpr int64_t least_charge_ns = 256;
constexpr int64_t most_charge_ns = int64_t{1} << 40;

} // namespace

void Lane::charge(int64_t ran_ns) {
    const auto ran = static_cast<uint64_t>(std::clamp(ran_ns, least_charge_ns, most_charge_ns));
    vruntime_.store(vruntime() + (ran * weight_ >> 12), std::memory_order_relaxed);
    runs_.store(runs() + 1, std::memory_order_relaxed);
}

int RunClasses::create(Loop& loop, int shares, int64_t latency_ns, xtc_run_class** out) {
    if (count_ == XTC_EXEC_CLASS_MAX) return XTC_E_AGAIN;
    const uint32_t number = count_ + 1;
    auto* made = new (std::nothrow) xtc_run_class(loop, number, shares, latency_ns);
    if (made == nullptr) return XTC_E_NOMEM;
    classes_[number].reset(made);
    count_ = number;
    *out = made;
    return XTC_OK;
}

void RunClasses::join(xtc_run_class& c, int64_t now) {
    ++c.fibers;
    if (fibers_++ == 0) began_ = now; // of the run that is going on, if any
    if (c.fibers == 1) look_at_latency();
}

void RunClasses::leave(xtc_run_class& c) {
    XTC_ASSERT(c.fibers > 0 && fibers_ > 0);
    --fibers_;
    if (--c.fibers == 0) look_at_latency();
}

void RunClasses::look_at_latency() {
    latency_ns_ = 0;
    for (uint32_t i = 1; i <= count_; ++i) {
        const xtc_run_class& c = *classes_[i];
        if (c.fibers == 0 || c.latency_ns == 0) continue;
        latency_ns_ = latency_ns_ == 0 ? c.latency_ns : std::min(latency_ns_, c.latency_ns);
    }
}

void RunClasses::push(Task& t, ReadyQueue& rest) {
    const uint32_t number = t.run_class != nullptr ? t.run_class->number : 0;
    ReadyQueue& queue = number != 0 ? t.run_class->ready : rest;
    if (queue.empty()) lane(number).catch_up(floor_);
    queue.push(t);
}

ReadyQueue& RunClasses::pick(ReadyQueue& rest) {
    Lane* best = rest.empty() ? nullptr : &rest_;
    ReadyQueue* queue = &rest;
    for (uint32_t i = 1; i <= count_; ++i) {
        xtc_run_class& c = *classes_[i];
        if (c.ready.empty()) continue;
        const bool is_behind = best == nullptr || c.lane.vruntime() < best->vruntime() ||
                               (c.lane.vruntime() == best->vruntime() && c.lane.turn < best->turn);
        if (!is_behind) continue;
        best = &c.lane;
        queue = &c.ready;
    }
    XTC_ASSERT(best != nullptr);
    floor_ = std::max(floor_, best->vruntime());
    best->turn = ++turns_;
    return *queue;
}

void RunClasses::end(xtc_run_class* c, int64_t now) {
    lane(c != nullptr ? c->number : 0).charge(now - began_);
    began_ = now;
}

bool RunClasses::check(const ReadyQueue& rest) const {
    uint32_t fibers = 0;
    for (uint32_t i = 1; i <= count_; ++i) {
        const xtc_run_class& c = *classes_[i];
        fibers += c.fibers;
        if (!c.ready.check() || c.ready.size() > c.fibers) return false;
    }
    return fibers == fibers_ && rest.check();
}

} // namespace xtc
