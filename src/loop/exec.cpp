// SPDX-License-Identifier: ISC
#include "loop/exec.hpp"

#include <cstdio>
#include <new>

#include <pthread.h>
#include <sched.h>

#include "base/assert.hpp"
#include "loop/stack_report.hpp"
#include "xtc.h"

namespace xtc {

int Exec::make(int n_loops, Exec** out) {
    if (n_loops <= 0) n_loops = xtc_ncpus();
    if (n_loops > 65534) return XTC_E_RANGE;
    try {
        std::unique_ptr<Exec> e(new Exec);
        for (int i = 0; i < n_loops; ++i) {
            Loop* loop = nullptr;
            if (int rc = Loop::make(e.get(), i, &loop); rc != XTC_OK) return rc;
            e->loops_.emplace_back(loop);
            auto w = std::make_unique<Worker>();
            w->exec = e.get();
            w->index = i;
            e->workers_.push_back(std::move(w));
        }
        *out = e.release();
        return XTC_OK;
    } catch (const std::bad_alloc&) {
        return XTC_E_NOMEM;
    }
}

Exec::~Exec() {
    if (inherited()) { // the threads are the parent's
        for (auto& w : workers_) (void)w.release();
        return;
    }
    {
        std::lock_guard hold(lock_);
        ending_ = true;
    }
    changed_.notify_all();
    for (auto& w : workers_)
        if (w->thread.is_started()) w->thread.join(); // each has shut its loop down by then
}

int Exec::start_workers() {
    for (auto& w : workers_) {
        if (w->thread.is_started()) continue;
        char name[16];
        std::snprintf(name, sizeof name, "xtc-loop/%d", w->index);
        if (int rc = w->thread.start(name, worker_main, w.get()); rc != XTC_OK) return rc;
    }
    return XTC_OK;
}

bool Exec::take(Use use) {
    std::lock_guard hold(lock_);
    if (use_.load(std::memory_order_relaxed) != Use::idle) return false;
    use_.store(use, std::memory_order_release);
    return true;
}

// Who holds it lets it go soon.
int Exec::begin_run() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [this] { return use_.load(std::memory_order_relaxed) != Use::held; });
    if (use_.load(std::memory_order_relaxed) == Use::running) return XTC_E_INVAL;
    use_.store(Use::running, std::memory_order_release);
    return XTC_OK;
}

void Exec::give_back() {
    {
        std::lock_guard hold(lock_);
        use_.store(Use::idle, std::memory_order_release);
    }
    changed_.notify_all();
}

void Exec::at_fini(xtc_seam_fini_t& node) {
    std::lock_guard hold(lock_);
    node.next = fini_nodes_;
    fini_nodes_ = &node;
}

void Exec::forget_fini(xtc_seam_fini_t& node) {
    std::lock_guard hold(lock_);
    for (xtc_seam_fini_t** at = &fini_nodes_; *at != nullptr; at = &(*at)->next) {
        if (*at != &node) continue;
        *at = node.next;
        return;
    }
}

int Exec::run() {
    if (current_loop() != nullptr || inherited()) return XTC_E_INVAL;
    if (int rc = begin_run(); rc != XTC_OK) return rc;
    int rc = start_workers();
    if (rc == XTC_OK) {
        started_.store(true, std::memory_order_release);
        std::unique_lock hold(lock_);
        ++runs_asked_;
        changed_.notify_all();
        changed_.wait(hold, [this] {
            for (auto& w : workers_)
                if (w->runs_done != runs_asked_) return false;
            return true;
        });
        for (auto& w : workers_)
            if (rc == XTC_OK) rc = w->status;
    }
    stop_.store(false, std::memory_order_seq_cst);
    give_back();
    return rc;
}

void Exec::stop() {
    stop_.store(true, std::memory_order_seq_cst);
    wake_all();
}

void Exec::wake_all() {
    for (auto& l : loops_) l->wake_up();
}

void Exec::busy_down() {
    if (busy_.fetch_sub(1, std::memory_order_seq_cst) == 1 && !service_mode()) wake_all();
}

void Exec::set_service_mode(bool on) {
    service_.store(on, std::memory_order_seq_cst);
    if (!on) wake_all(); // the run may be over now
}

int Exec::set_spin(int64_t max_ns) {
    if (max_ns < 0) return XTC_E_INVAL;
    for (auto& l : loops_) l->set_spin(max_ns);
    return XTC_OK;
}

int Exec::set_cpus(const int* cpus, int n) {
    if (cpus == nullptr || n < 1 || has_started()) return XTC_E_INVAL;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return XTC_E_INTERNAL;
    for (int i = 0; i < n; ++i)
        if (cpus[i] < 0 || cpus[i] >= CPU_SETSIZE || !CPU_ISSET(cpus[i], &allowed)) return XTC_E_INVAL;
    try {
        cpus_.assign(cpus, cpus + n);
    } catch (const std::bad_alloc&) {
        return XTC_E_NOMEM;
    }
    // B9: a pinned loop's node is known before it runs.
    for (auto& w : workers_)
        w->node.store(xtc_numa_node_of_cpu(cpus_[static_cast<size_t>(w->index) % cpus_.size()]),
                      std::memory_order_relaxed);
    return XTC_OK;
}

void Exec::pin(Worker& w) {
    if (!cpus_.empty()) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpus_[static_cast<size_t>(w.index) % cpus_.size()], &one);
        (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
    w.node.store(xtc_numa_current_node(), std::memory_order_relaxed);
}

void Exec::worker_main(void* arg) {
    Worker& w = *static_cast<Worker*>(arg);
    w.exec->work(w);
}

void Exec::work(Worker& w) {
    Loop& loop = *loops_[static_cast<size_t>(w.index)];
    pin(w);
    AltStack alt_stack;
    for (;;) {
        {
            std::unique_lock hold(lock_);
            changed_.wait(hold, [&] { return ending_ || w.runs_done != runs_asked_; });
            if (ending_) break;
        }
        int rc = loop.ensure_driver();
        if (rc == XTC_OK) {
            loop.begin_run();
            while (!over()) loop.turn(Loop::kRunsPerTurn, XTC_UNTIL_NEVER);
            loop.end_run();
        } else {
            stop();
        }
        {
            std::lock_guard hold(lock_);
            w.status = rc;
            ++w.runs_done;
        }
        changed_.notify_all();
    }
    loop.shut_down(); // on the ring's own thread
}

} // namespace xtc
