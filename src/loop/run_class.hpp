// SPDX-License-Identifier: ISC
// Proportional shares of a loop's time: a lane for each class and one for fibers without a class. A lane's
// virtual time grows with what it ran, the slower the larger its share, and the lane that is furthest behind
// runs next.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "loop/ready_queue.hpp"
#include "xtc_exec.h"

namespace xtc {

class Lane {
public:
    explicit Lane(int shares) : weight_((uint64_t{1} << 22) / static_cast<uint64_t>(shares)) {}

    uint64_t vruntime() const { return vruntime_.load(std::memory_order_relaxed); }
    uint64_t runs() const { return runs_.load(std::memory_order_relaxed); }

    void charge(int64_t ran_ns);
    // After a rest: what it did not use meanwhile is lost.
    void catch_up(uint64_t floor) {
        if (vruntime() < floor) vruntime_.store(floor, std::memory_order_relaxed);
    }

    uint64_t turn = 0; // when it was last picked; the one that waited longest wins a tie

private:
    uint64_t weight_;
    std::atomic<uint64_t> vruntime_{0}; // read by any thread
    std::atomic<uint64_t> runs_{0};
};

} // namespace xtc

// What an xtc_exec_class_t points to. Lives as long as its loop.
struct xtc_run_class {
    xtc_run_class(xtc::Loop& on, uint32_t lane_number, int lane_shares, int64_t lane_latency_ns)
        : loop(&on), number(lane_number), shares(lane_shares), latency_ns(lane_latency_ns),
          lane(lane_shares) {}

    xtc::Loop* const loop;
    const uint32_t number; // 0 is the lane without a class
    const int shares;
    const int64_t latency_ns;

    // the loop's thread, and pre-run setup
    xtc::Lane lane;
    xtc::ReadyQueue ready;
    uint32_t fibers = 0;
    bool has_group = false; // a batch group runs its driver here
};

namespace xtc {

// Of one loop. Off, and without effect, while no fiber has a class.
class RunClasses {
public:
    int create(Loop& loop, int shares, int64_t latency_ns, xtc_run_class** out);

    bool is_on() const { return fibers_ > 0; }
    void join(xtc_run_class& c, int64_t now);
    void leave(xtc_run_class& c);

    // rest: the queue of the fibers without a class.
    void push(Task& t, ReadyQueue& rest);
    ReadyQueue& pick(ReadyQueue& rest); // something is ready
    // A run of a fiber of c (nullptr: without a class) begins now, and is over.
    void begin(int64_t now) { began_ = now; }
    void end(xtc_run_class* c, int64_t now);

    // The smallest latency that was asked for by a class with fibers; 0: none.
    int64_t latency() const { return latency_ns_; }
    bool check(const ReadyQueue& rest) const;

private:
    Lane& lane(uint32_t number) { return number == 0 ? rest_ : classes_[number]->lane; }
    void look_at_latency();

    uint32_t fibers_ = 0; // that have a class
    uint32_t count_ = 0;
    uint64_t floor_ = 0; // virtual time of the lane that was picked last; never falls
    uint64_t turns_ = 0;
    int64_t began_ = 0;
    int64_t latency_ns_ = 0;
    Lane rest_{XTC_EXEC_CLASS_DEFAULT_SHARES};
    std::unique_ptr<xtc_run_class> classes_[XTC_EXEC_CLASS_MAX + 1]; // [0] stays empty
};

} // namespace xtc
