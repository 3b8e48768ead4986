// SPDX-License-Identifier: ISC
#include "loop/task_table.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "base/assert.hpp"
#include "loop/loop.hpp"
#include "xtc.h"

namespace xtc {

namespace {
constexpr size_t kChunkPointers = kMaxSlots / 64;
}

int TaskTable::init(uint64_t gen_base) {
    gen_base_ = gen_base;
    // Two megabytes of address space; only the pages of chunks that exist are ever touched.
    void* map = mmap(nullptr, kChunkPointers * sizeof(std::atomic<Chunk*>), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return XTC_E_NOMEM;
    chunks_ = static_cast<std::atomic<Chunk*>*>(map);
    return XTC_OK;
}

TaskTable::~TaskTable() {
    if (chunks_ == nullptr) return;
    while (first_chunk_ != nullptr) delete std::exchange(first_chunk_, first_chunk_->next_chunk);
    munmap(chunks_, kChunkPointers * sizeof(std::atomic<Chunk*>));
}

int TaskTable::grow(bool remote, Task** list) {
    std::unique_lock hold(lock_, std::defer_lock);
    if (!remote) hold.lock(); // take_remote holds it already
    auto* chunk = new (std::nothrow) Chunk;
    if (chunk == nullptr) return XTC_E_NOMEM;
    if (block_next_ == block_end_) {
        const int block = registry::claim_block(loop_.loop_id(), loop_.index());
        if (block < 0) {
            delete chunk;
            return XTC_E_RESOURCE;
        }
        block_next_ = static_cast<uint32_t>(block) * registry::kBlockSlots;
        block_end_ = block_next_ + registry::kBlockSlots;
    }
    const uint32_t first = block_next_;
    block_next_ += kChunk;
    for (uint32_t i = kChunk; i-- > 0;) {
        Task& t = chunk->tasks[i];
        t.loop = &loop_;
        t.slot = first + i;
        t.remote_slot = remote;
        t.gen.store(static_cast<uint32_t>(gen_base_) & kGenMask, std::memory_order_relaxed);
        t.next = *list;
        *list = &t;
    }
    chunks_[first / kChunk].store(chunk, std::memory_order_release);
    (last_chunk_ == nullptr ? first_chunk_ : last_chunk_->next_chunk) = chunk;
    last_chunk_ = chunk;
    count_.store(count() + kChunk, std::memory_order_relaxed);
    return XTC_OK;
}

void TaskTable::open_life(Task& t) {
    t.next = nullptr;
    const uint64_t gen = t.gen.load(std::memory_order_relaxed);
    t.mail_word.store(gen << 32, std::memory_order_relaxed);
    t.kill_word.store(gen << 40, std::memory_order_relaxed);
    t.live.store(true, std::memory_order_release);
}

int TaskTable::take(Task** out) {
    if (free_ == nullptr)
        if (int rc = grow(false, &free_); rc != XTC_OK) return rc;
    Task* t = free_;
    free_ = t->next;
    open_life(*t);
    *out = t;
    return XTC_OK;
}

int TaskTable::take_remote(Task** out) {
    std::lock_guard hold(lock_);
    if (remote_free_ == nullptr) remote_free_ = remote_returned_.exchange(nullptr, std::memory_order_acquire);
    if (remote_free_ == nullptr)
        if (int rc = grow(true, &remote_free_); rc != XTC_OK) return rc;
    Task* t = remote_free_;
    remote_free_ = t->next;
    open_life(*t);
    *out = t;
    return XTC_OK;
}

void TaskTable::give(Task& t) {
    t.live.store(false, std::memory_order_release);
    max_lives_ = std::max(max_lives_, ++t.lives);
    const uint32_t gen = (t.gen.load(std::memory_order_relaxed) + 1) & kGenMask;
    t.gen.store(gen, std::memory_order_release);
    t.mail_word.store(uint64_t{gen} << 32, std::memory_order_relaxed);
    t.kill_word.store(uint64_t{gen} << 40, std::memory_order_relaxed);
    if (t.lives > kGenMask) return; // retired: its next generation has named somebody before
    if (!t.remote_slot) {
        t.next = free_;
        free_ = &t;
        return;
    }
    t.next = remote_returned_.load(std::memory_order_relaxed);
    while (!remote_returned_.compare_exchange_weak(t.next, &t, std::memory_order_release,
                                                   std::memory_order_relaxed)) {
    }
}

} // namespace xtc
