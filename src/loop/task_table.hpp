// SPDX-License-Identifier: ISC
// The tasks of one loop, found by slot from any thread. The loop's thread takes and gives slots without a
// lock; other threads have a free list of their own, refilled with what they took before.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "loop/task.hpp"
#include "loop/token.hpp"

namespace xtc {

class TaskTable {
public:
    explicit TaskTable(Loop& loop) : loop_(loop) {}
    ~TaskTable();
    TaskTable(const TaskTable&) = delete;
    TaskTable& operator=(const TaskTable&) = delete;

    int init(uint64_t gen_base);

    // XTC_OK, XTC_E_NOMEM, XTC_E_RESOURCE. The task is free, with a generation nobody has had.
    int take(Task** out);        // the loop's thread
    int take_remote(Task** out); // any other
    void give(Task& task);       // the loop's thread

    Task* find(uint32_t slot) const { // any thread; nullptr: never existed
        Chunk* chunk = chunks_[slot / kChunk].load(std::memory_order_acquire);
        return chunk == nullptr ? nullptr : &chunk->tasks[slot % kChunk];
    }
    uint32_t count() const { return count_.load(std::memory_order_relaxed); } // slots ever made
    uint64_t gen_end() const { return gen_base_ + max_lives_ + 1; }
    template <class F> void for_each(F f) const { // the loop's thread, or nobody else around
        for (Chunk* c = first_chunk_; c != nullptr; c = c->next_chunk)
            for (Task& t : c->tasks) f(t);
    }

private:
    static constexpr uint32_t kChunk = 64;
    struct Chunk {
        Task tasks[kChunk];
        Chunk* next_chunk = nullptr;
    };

    int grow(bool remote, Task** list);
    void open_life(Task& task);

    Loop& loop_;
    std::atomic<Chunk*>* chunks_ = nullptr;
    Task* free_ = nullptr; // the loop's thread
    uint64_t gen_base_ = 0;
    Chunk* first_chunk_ = nullptr; // under lock_ to change
    Chunk* last_chunk_ = nullptr;
    uint32_t block_next_ = 0; // next slot of the block we fill, under lock_
    uint32_t block_end_ = 0;
    uint32_t max_lives_ = 0;
    std::atomic<uint32_t> count_{0};

    std::mutex lock_; // grow, and the two below
    Task* remote_free_ = nullptr;
    std::atomic<Task*> remote_returned_{nullptr}; // the loop's thread pushes, holders of lock_ take all
};

} // namespace xtc
