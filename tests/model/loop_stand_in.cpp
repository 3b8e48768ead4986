// SPDX-License-Identifier: ISC
// What the explored sources ask of the rest of the library.
#include "loop_stand_in.hpp"

#include "base/time.hpp"
#include "loop/loop.hpp"
#include "loop/remote.hpp"
#include "loop/wait.hpp"
#include "model/explorer.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xtc {

namespace {

model::LoopStandIn* g_loop = nullptr; // of the execution that goes on

model::LoopStandIn& stand_in(Loop* loop) {
    return *reinterpret_cast<model::LoopStandIn*>(loop);
}

void sleep_until_posted(model::LoopStandIn& l) {
    const uint32_t seen = l.posted.load(std::memory_order_acquire);
    if (!l.inbox.looks_empty()) return;
    ::syscall(SYS_futex, &l.posted, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

} // namespace

model::LoopStandIn::LoopStandIn() {
    g_loop = this;
    task.loop = reinterpret_cast<Loop*>(this);
}

// --- the loop

thread_local Loop* tl_current_loop __attribute__((tls_model("initial-exec"))) = nullptr;

void Loop::post(InboxNode& node) {
    model::LoopStandIn& l = stand_in(this);
    l.inbox.push(node);
    l.posted.fetch_add(1, std::memory_order_acq_rel);
    ::syscall(SYS_futex, &l.posted, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Loop::wake_task(Task& t, uint32_t epoch) {
    if (t.epoch == epoch)
        t.latched = true;
    else
        ++stand_in(this).stale_wakes;
}

void Loop::nudge(Task&) {
    model::check(false, "no nudge is modelled");
}
void Loop::spawn_arrived(Task&, bool) {
    model::check(false, "no spawn is modelled");
}
int64_t Loop::now() const {
    return 0;
}

// --- the fiber

Task* current_fiber() {
    return nullptr;
}

WakeToken Task::token() const {
    return WakeToken::make(1, slot, epoch);
}

void begin_sleep(Task& t) {
    t.epoch = (t.epoch + 1) & kEpochMask;
    t.latched = false;
}

// No time limits and no kills.
Woke park(Task& t, int64_t, OnKill, ParkReason) {
    model::LoopStandIn& l = stand_in(t.loop);
    while (!t.latched) {
        sleep_until_posted(l);
        for (InboxNode* node = l.inbox.take_all(); node != nullptr;) {
            InboxNode* next = node->next;
            node->run(*t.loop, *node, false);
            node = next;
        }
    }
    return Woke::event;
}

// From threads that are no loop's.
void wake(WakeToken token) {
    model::check(token.loop() == 1 && token.slot() == g_loop->task.slot, "the token names the fiber");
    remote_wake(g_loop->task, token.epoch());
}

int64_t deadline_after(Loop&, int64_t) {
    return 0;
}

// Moves on when a wait of the thread runs out of time, and never else.
int64_t clock_mono() noexcept {
    return model::timeouts_of_thread() * 1'000'000'000;
}

} // namespace xtc

int64_t xtc_clock_mono(void) {
    return xtc::clock_mono();
}
