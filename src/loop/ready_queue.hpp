// SPDX-License-Identifier: ISC
// Tasks that may run, first come, first served.
#pragma once

#include <cstdint>

#include "loop/task.hpp"

namespace xtc {

class ReadyQueue {
public:
    bool empty() const { return head_ == nullptr; }
    uint32_t size() const { return size_; }
    Task* front() const { return head_; }

    void push(Task& t) {
        t.next = nullptr;
        (tail_ == nullptr ? head_ : tail_->next) = &t;
        tail_ = &t;
        ++size_;
    }

    Task* pop_front() {
        Task* t = head_;
        head_ = t->next;
        if (head_ == nullptr) tail_ = nullptr;
        --size_;
        t->next = nullptr;
        return t;
    }

    // The one at `place` from the front, which is there.
    Task* pop(uint32_t place) {
        Task* before = nullptr;
        Task* t = head_;
        for (; place > 0; --place) {
            before = t;
            t = t->next;
        }
        (before == nullptr ? head_ : before->next) = t->next;
        if (tail_ == t) tail_ = before;
        --size_;
        t->next = nullptr;
        return t;
    }

    // The list is whole, and all on it are ready.
    bool check() const {
        uint32_t n = 0;
        const Task* last = nullptr;
        for (const Task* t = head_; t != nullptr; t = t->next) {
            if (t->now_in() != TaskState::ready || ++n > size_) return false;
            last = t;
        }
        return n == size_ && last == tail_;
    }

private:
    Task* head_ = nullptr;
    Task* tail_ = nullptr;
    uint32_t size_ = 0;
};

} // namespace xtc
