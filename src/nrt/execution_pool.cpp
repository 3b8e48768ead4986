// SPDX-License-Identifier: ISC
#include "nrt/execution_pool.hpp"

#include <xtc.h>

#include <new>

namespace xtc::nrt {

Execution* ExecutionPool::take() noexcept {
    const std::lock_guard hold(lock_);
    if (Execution* const execution = free_) {
        free_ = execution->next_free;
        return execution;
    }
    try {
        auto fresh = std::make_unique<Execution>();
        if (fresh->prepare_notify() != XTC_OK) return nullptr;
        all_.push_back(std::move(fresh));
        return all_.back().get();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void ExecutionPool::give_back(Execution& execution) noexcept {
    execution.reset(); // may free much memory: before the lock
    const std::lock_guard hold(lock_);
    execution.next_free = free_;
    free_ = &execution;
}

} // namespace xtc::nrt
