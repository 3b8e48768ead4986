// SPDX-License-Identifier: ISC
// THE wait primitive. Everything that blocks a fiber is these steps and nothing else:
//
//     begin_sleep(task)           opens an epoch; task.token() names it
//     leave the token with whoever will wake us, then look again
//     park(task, deadline, kill)  until a wake with that token, the deadline or a kill
//     take the token back
//
// A wake that comes between the first and the third step is latched, a wake for an earlier sleep is dropped
// by its epoch, so no order of events loses one or delivers one twice. A wake says "look again", never what
// happened: every caller loops.
#pragma once

#include <cstdint>

#include "loop/task.hpp"
#include "loop/token.hpp"

namespace xtc {

enum class Woke : uint8_t { event, timeout, killed };

void begin_sleep(Task& task);
// The running fiber only. deadline: absolute, XTC_UNTIL_NEVER for none.
Woke park(Task& task, int64_t deadline, OnKill on_kill, ParkReason why = ParkReason::other);

// To the end of the ready queue; a kill is delivered before and after.
void yield_fiber(Task& task);

// Any thread. Ends the sleep the token names, if it still lasts.
void wake(WakeToken token);

// Deadline of a public timeout (negative: for ever) counted from now; saturates.
int64_t deadline_after(Loop& loop, int64_t timeout_ns);

// Undoes something on the fiber's stack when the loop drops that stack at its end.
class DropGuard : DropHook {
public:
    DropGuard(Task& task, void (*undo)(void*), void* arg);
    ~DropGuard();
    DropGuard(const DropGuard&) = delete;
    DropGuard& operator=(const DropGuard&) = delete;

private:
    static void run(DropHook& hook);
    Task& task_;
    void (*undo_)(void*);
    void* arg_;
};

} // namespace xtc
