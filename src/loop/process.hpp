// SPDX-License-Identifier: ISC
// A process: a fiber with a pid, a mailbox, exit hooks and an orderly death.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loop/inbox.hpp"
#include "loop/registry.hpp"
#include "loop/task.hpp"
#include "loop/wait.hpp"

namespace xtc {

class Loop;

// One message. The payload comes first so that the caller can free what xtc_recv gave with xtc_free.
struct Message : InboxNode {
    void* data = nullptr;
    size_t size = 0;
    uint32_t slot = 0;
    uint32_t gen = 0;
    Message* next_mail = nullptr;
};

// Finds a live process from any thread and holds its loop meanwhile.
class ProcRef {
public:
    explicit ProcRef(xtc_pid_t pid);
    explicit operator bool() const { return task_ != nullptr; }
    Task* operator->() const { return task_; }
    Task& operator*() const { return *task_; }
    uint32_t gen() const { return gen_; }

private:
    uint32_t slot_;
    uint32_t gen_;
    LoopPin pin_;
    Task* task_ = nullptr;
};

int send_message(xtc_pid_t to, const void* data, size_t size);
Message* take_message(Task& self); // nullptr: none
void drop_mail(Task& task);        // the process is gone

void run_exit_hooks(Task& task);
int ask_to_exit(xtc_pid_t pid, int reason);

// Kills wait while a scope like this lives; the last one to end does not deliver: the next wait does.
class KillMask {
public:
    explicit KillMask(Task& task) : task_(task) {
        task_.mask_depth.store(task_.mask_depth.load(std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
    }
    ~KillMask() {
        task_.mask_depth.store(task_.mask_depth.load(std::memory_order_relaxed) - 1,
                               std::memory_order_relaxed);
    }
    KillMask(const KillMask&) = delete;
    KillMask& operator=(const KillMask&) = delete;

private:
    Task& task_;
};

} // namespace xtc
