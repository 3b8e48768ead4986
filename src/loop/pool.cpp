// SPDX-License-Identifier: ISC
#include "loop/pool.hpp"

#include "base/assert.hpp"
#include "base/thread.hpp"

#include <xtc.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <new>

namespace xtc {

namespace {

enum JobState : uint64_t { job_queued = 1, job_begun = 2 };

struct Pool {
    std::mutex mutex;
    std::condition_variable work;
    std::condition_variable changed; // a thread ended, or a shutdown did
    xtc_offload_job_t* first = nullptr;
    xtc_offload_job_t* last = nullptr;
    int queued = 0;
    int idle = 0;
    int running = 0; // threads that have not ended
    bool stopping = false;
    int fixed_size = 0; // the host's; 0: grow as needed
    std::array<Thread, kMostPoolThreads> threads;

    void append(xtc_offload_job_t* job);
    void unlink(xtc_offload_job_t* job);
    int grow();
    void serve();
};

// Never destroyed: threads may be parked in it when the process ends. Built anew in a forked child, where the
// threads do not exist and the lock may have been held.
alignas(Pool) unsigned char storage[sizeof(Pool)];
std::once_flag made;
thread_local bool on_pool_thread = false;

Pool* place() {
    return std::launder(reinterpret_cast<Pool*>(storage));
}

void forget_in_child() {
    const int size = place()->fixed_size;
    new (storage) Pool;
    place()->fixed_size = size;
    on_pool_thread = false;
}

Pool& pool() {
    std::call_once(made, [] {
        new (storage) Pool;
        ::pthread_atfork(nullptr, nullptr, forget_in_child);
    });
    return *place();
}

void Pool::append(xtc_offload_job_t* job) {
    job->priv = job_queued;
    job->next = nullptr;
    job->prev = last;
    (last != nullptr ? last->next : first) = job;
    last = job;
    ++queued;
}

void Pool::unlink(xtc_offload_job_t* job) {
    (job->prev != nullptr ? job->prev->next : first) = job->next;
    (job->next != nullptr ? job->next->prev : last) = job->prev;
    --queued;
}

// A thread more for each queued job that no idle one will take: a job may wait for another one, so nobody may
// be kept waiting while a thread can still be made.
int Pool::grow() {
    const int most = fixed_size != 0 ? fixed_size : kMostPoolThreads;
    if (queued <= idle || running == most) return XTC_OK;
    char name[16];
    std::snprintf(name, sizeof(name), "xtc-pool/%d", running);
    const int rc = threads[static_cast<size_t>(running)].start(
        name, [](void* self) { static_cast<Pool*>(self)->serve(); }, this);
    if (rc == XTC_OK) ++running;
    return running > 0 ? XTC_OK : rc;
}

void Pool::serve() {
    on_pool_thread = true;
    std::unique_lock lock(mutex);
    for (;;) {
        ++idle;
        work.wait(lock, [this] { return first != nullptr || stopping; });
        --idle;
        xtc_offload_job_t* job = first;
        if (job == nullptr) break;
        unlink(job);
        job->priv = job_begun;
        lock.unlock();
        job->result = job->fn(job->arg);
        job->done(job);
        lock.lock();
    }
    --running;
    changed.notify_all();
}

int submit(void*, xtc_offload_job_t* job) {
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    if (p.stopping) return XTC_E_ABORTED;
    p.append(job);
    const int rc = p.grow();
    if (rc != XTC_OK) {
        p.unlink(job);
        return rc;
    }
    p.work.notify_one();
    return XTC_OK;
}

int revoke(void*, xtc_offload_job_t* job) {
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    if (job->priv != job_queued) return 0;
    p.unlink(job);
    return 1;
}

constexpr xtc_seam_offload_t table = {sizeof(xtc_seam_offload_t), submit, revoke};

} // namespace

const xtc_seam_offload_t* pool_offload() noexcept {
    return &table;
}

int pool_set_size(int threads) noexcept {
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    if (threads < 1 || threads > kMostPoolThreads || p.running > 0 || p.stopping) return XTC_E_INVAL;
    p.fixed_size = threads;
    return XTC_OK;
}

int pool_thread_count() noexcept {
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    return p.running;
}

void pool_shutdown() noexcept {
    if (on_pool_thread) return;
    Pool& p = pool();
    std::unique_lock lock(p.mutex);
    if (p.stopping) {
        p.changed.wait(lock, [&p] { return !p.stopping; });
        return;
    }
    p.stopping = true;
    const int started = p.running;
    p.work.notify_all();
    p.changed.wait(lock, [&p] { return p.running == 0; });
    lock.unlock();
    for (int i = 0; i < started; ++i) p.threads[static_cast<size_t>(i)].join();
    lock.lock();
    p.stopping = false;
    p.changed.notify_all();
}

} // namespace xtc
