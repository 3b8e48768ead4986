// SPDX-License-Identifier: ISC
#include "loop/process.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/assert.hpp"
#include "loop/loop.hpp"
#include "loop/remote.hpp"
#include "xtc.h"

namespace xtc {

xtc_pid_t Task::pid() const {
    return {loop->loop_id(), static_cast<uint16_t>(slot),
            (slot >> 16) << 24 | gen.load(std::memory_order_relaxed)};
}

ProcRef::ProcRef(xtc_pid_t pid)
    : slot_(pid.local_id | (pid.gen >> 24) << 16), gen_(pid.gen & kGenMask),
      pin_(registry::loop_of(pid.loop_id, slot_)) {
    if (!pin_) return;
    Task* t = pin_->tasks().find(slot_);
    if (t == nullptr || !t->live.load(std::memory_order_acquire)) return;
    if (t->gen.load(std::memory_order_acquire) != gen_ || !t->is_process.load(std::memory_order_relaxed))
        return;
    task_ = t;
}

namespace {

Message* make_message(const void* data, size_t size) {
    size_t payload;
    if (__builtin_add_overflow(size, alignof(std::max_align_t) - 1, &payload)) return nullptr;
    payload &= ~(alignof(std::max_align_t) - 1);
    size_t total;
    if (__builtin_add_overflow(payload, sizeof(Message), &total)) return nullptr;
    char* block = static_cast<char*>(xtc_malloc(total));
    if (block == nullptr) return nullptr;
    auto* m = new (block + payload) Message;
    m->data = block;
    m->size = size;
    if (size > 0) std::memcpy(block, data, size);
    return m;
}

void deliver(Task& t, Message& m) {
    m.next_mail = nullptr;
    (t.mail_tail == nullptr ? t.mail_head : t.mail_tail->next_mail) = &m;
    t.mail_tail = &m;
    if (t.mail_wakes && t.now_in() == TaskState::parked) t.loop->wake_task(t, t.epoch);
}

void deliver_node(Loop& loop, InboxNode& node, bool drop) {
    auto& m = static_cast<Message&>(node);
    Task* t = loop.tasks().find(m.slot);
    const bool there =
        !drop && t->live.load(std::memory_order_relaxed) && t->gen.load(std::memory_order_relaxed) == m.gen;
    if (there)
        deliver(*t, m);
    else
        xtc_free(m.data);
}

// Takes a place in the mailbox of that very life; another thread may end it at any moment.
int reserve_place(Task& t, uint32_t gen, uint32_t* depth) {
    uint64_t word = t.mail_word.load(std::memory_order_relaxed);
    const uint32_t cap = t.mail_cap.load(std::memory_order_relaxed);
    do {
        if (word >> 32 != gen) return XTC_E_INVAL;
        if (static_cast<uint32_t>(word) >= cap) {
            t.drop_total.fetch_add(1, std::memory_order_relaxed);
            return XTC_E_AGAIN;
        }
    } while (!t.mail_word.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                                std::memory_order_relaxed));
    *depth = static_cast<uint32_t>(word) + 1;
    uint32_t peak = t.mail_peak.load(std::memory_order_relaxed);
    while (*depth > peak && !t.mail_peak.compare_exchange_weak(peak, *depth, std::memory_order_relaxed)) {
    }
    return XTC_OK;
}

} // namespace

int send_message(xtc_pid_t to, const void* data, size_t size) {
    if (data == nullptr && size > 0) return XTC_E_INVAL;
    ProcRef p(to);
    if (!p) return XTC_E_INVAL;
    if (size > SIZE_MAX / 2) return XTC_E_RANGE;
    uint32_t depth = 0;
    if (int rc = reserve_place(*p, p.gen(), &depth); rc != XTC_OK) return rc;
    Message* m = make_message(data, size);
    if (m == nullptr) {
        p->mail_word.fetch_sub(1, std::memory_order_relaxed);
        return XTC_E_NOMEM;
    }
    if (depth == p->mail_mark.load(std::memory_order_relaxed)) {
        auto* fn = p->mark_fn.load(std::memory_order_relaxed);
        void* user = p->mark_user.load(std::memory_order_relaxed);
        const uint32_t cap = p->mail_cap.load(std::memory_order_relaxed);
        if (fn != nullptr && p->gen.load(std::memory_order_acquire) == p.gen()) fn(to, depth, cap, user);
    }
    m->slot = p->slot;
    m->gen = p.gen();
    m->run = deliver_node;
    if (current_loop() == p->loop)
        deliver_node(*p->loop, *m, false);
    else
        p->loop->post(*m);
    return XTC_OK;
}

Message* take_message(Task& self) {
    Message* m = self.mail_head;
    if (m == nullptr) return nullptr;
    self.mail_head = m->next_mail;
    if (self.mail_head == nullptr) self.mail_tail = nullptr;
    self.mail_word.fetch_sub(1, std::memory_order_relaxed);
    self.recv_total.store(self.recv_total.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return m;
}

void drop_mail(Task& t) {
    while (t.mail_head != nullptr) {
        Message* m = t.mail_head;
        t.mail_head = m->next_mail;
        xtc_free(m->data);
    }
    t.mail_tail = nullptr;
}

void run_exit_hooks(Task& t) {
    t.function_ended.store(true, std::memory_order_relaxed);
    t.unwinding = false;
    t.in_exit = true;
    if (t.exit_hooks == nullptr) return;
    while (t.exit_hooks->count > 0) { // a hook may register another
        auto hook = t.exit_hooks->hooks[--t.exit_hooks->count];
        hook.fn(hook.arg);
    }
}

int ask_to_exit(xtc_pid_t pid, int reason) {
    ProcRef p(pid);
    if (!p) return XTC_E_INVAL;
    uint64_t word = p->kill_word.load(std::memory_order_relaxed);
    do {
        if (word >> 40 != p.gen()) return XTC_E_INVAL;
        if (word >> 32 & 1) return XTC_OK; // the first reason wins
    } while (!p->kill_word.compare_exchange_weak(
        word, uint64_t{p.gen()} << 40 | uint64_t{1} << 32 | static_cast<uint32_t>(reason),
        std::memory_order_acq_rel, std::memory_order_relaxed));
    nudge_from_anywhere(*p);
    return XTC_OK;
}

} // namespace xtc
