// SPDX-License-Identifier: ISC
// An execution unit's queue: a bounded ring of fixed-size requests that any thread fills and one fiber, on
// the loop of the unit's core, works off in order. Nothing is allocated and no lock is taken for a request.
#pragma once

#include <nrt/nrt_async.h>
#include <xtc_exec.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "nrt/notify.hpp"
#include "nrt/ref.hpp"
#include "nrt/sequence.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class Unit : public Counted<Unit> {
public:
    struct Job {
        // On the worker's fiber; returns what *result gets. With a fate other than NRT_SUCCESS it only lets
        // go of what it holds, and returns the fate. Once the unit was taken over: on the thread that did,
        // also for the job in whose run the worker stands.
        NRT_STATUS (*run)(Unit& unit, Job& job, NRT_STATUS fate) = nullptr;
        NRT_STATUS* result = nullptr; // may be NULL; written before the number counts as completed
        uint64_t words[6] = {};       // the job's own
    };

    // The worker will live on that loop of the executor. `done_before` is the last number of an earlier life.
    // Empty: no memory.
    static Ref<Unit> make(UnitId id, xtc_exec_t* exec, uint32_t loop, uint32_t capacity,
                          uint64_t done_before = 0);

    // Copies the job in and writes its number. Starts the worker on first use; where it gets no stack, what
    // is queued ends with NRT_RESOURCE and the next request tries again. Otherwise nothing has happened:
    // NRT_EXEC_UNIT_UNRECOVERABLE, NRT_QUEUE_FULL (accepted and unfinished ones have the whole capacity),
    // NRT_CLOSED, NRT_RESOURCE. Any thread; never waits.
    NRT_STATUS push(const Job& job, nrta_seq_t* seq);

    UnitId id() const noexcept { return id_; }
    uint64_t issued() const noexcept { return issued_.load(std::memory_order_seq_cst); }
    uint64_t completed() const noexcept { return completed_.load(std::memory_order_seq_cst); }
    // XTC_OK: there was room, or it is poisoned.
    int wait_for_room(int64_t timeout_ns) {
        return progress_.wait([this] { return has_room() || is_poisoned(); }, timeout_ns);
    }
    int wait_for(uint64_t number, int64_t timeout_ns = -1) {
        return progress_.wait([this, number] { return completed() >= number; }, timeout_ns);
    }

    // What is queued ends with NRT_EXEC_UNIT_UNRECOVERABLE, and no more is taken. From a job's run.
    void poison() noexcept { poisoned_.store(true, std::memory_order_seq_cst); }
    bool is_poisoned() const noexcept { return poisoned_.load(std::memory_order_seq_cst); }

    // No push is under way, nor comes: the worker works off what was accepted and ends. Waits for that, at
    // most so long; XTC_E_AGAIN: the time is over.
    int stop(int64_t timeout_ns = -1);
    // The loops stand still. Ends what was accepted with NRT_CLOSED on the calling thread, and takes no more.
    // The worker ends without another job if it ever goes on.
    void take_over();
    bool is_taken_over() const noexcept { return taken_over_.load(std::memory_order_seq_cst); }
    // The loops are gone. Tasks that stood on them, unlike fibers, went without a word.
    void forget_worker() noexcept {
        if (has_worker()) leave();
    }
    bool has_worker() const noexcept { return started_.load() && !ended_.load(); }

private:
    friend Counted<Unit>;
    enum class Sleeper { none, worker, beginner };
    struct Cell {
        std::atomic<uint64_t> number{0}; // of the request that is in it
        Job job;
    };

    Unit(UnitId id, xtc_exec_t* exec, uint32_t loop, uint32_t capacity, uint64_t done_before)
        : id_(id), exec_(exec), loop_(loop), capacity_(capacity), issued_(done_before),
          completed_(done_before) {}
    ~Unit() = default;

    Cell& cell(uint64_t number) noexcept { return cells_[number % capacity_]; }
    NRT_STATUS start();
    NRT_STATUS reserve(uint64_t* number);
    void wake() noexcept;
    static int begin(xtc_task_t* self, void* unit);
    int spawn_worker() noexcept;
    bool end_queued(uint64_t last, NRT_STATUS fate);
    static void enter(void* unit);
    void leave() noexcept;
    void relieve() noexcept;
    void work();
    bool has_room() const noexcept {
        const uint64_t done = completed(); // read first, so never above what is issued
        return issued() - done < capacity_;
    }
    bool is_over() const noexcept {
        return stopping_.load(std::memory_order_seq_cst) && issued() == completed();
    }
    bool has_next() noexcept {
        const uint64_t next = completed() + 1;
        return cell(next).number.load(std::memory_order_seq_cst) == next;
    }
    void finish(uint64_t number, NRT_STATUS fate);

    const UnitId id_;
    xtc_exec_t* const exec_;
    const uint32_t loop_;
    const uint32_t capacity_;
    std::unique_ptr<Cell[]> cells_;

    alignas(64) std::atomic<uint64_t> issued_;
    alignas(64) std::atomic<uint64_t> completed_;
    std::atomic<Sleeper> sleeper_{Sleeper::none};
    std::atomic<bool> poisoned_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> taken_over_{false};
    std::atomic<bool> started_{false};
    std::atomic<bool> ended_{false};
    std::mutex starting_;
    xtc_waker_t beginner_{}; // while it sleeps
    Notify bell_;
    WaitList progress_;
};

static_assert(sizeof(Unit::Job) == 64, "a request is one cache line");

} // namespace xtc::nrt
