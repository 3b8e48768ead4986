// SPDX-License-Identifier: ISC
// What the explored sources ask of the rest of the library. Threads of a model are off every loop.
#include "base/time.hpp"
#include "loop/loop.hpp"
#include "loop/wait.hpp"
#include "model/explorer.hpp"

namespace xtc {

thread_local Loop* tl_current_loop __attribute__((tls_model("initial-exec"))) = nullptr;

Task* current_fiber() {
    return nullptr;
}

// Moves on when a wait of the thread runs out of time, and never else.
int64_t clock_mono() noexcept {
    return model::timeouts_of_thread() * 1'000'000'000;
}

void begin_sleep(Task&) {
    model::check(false, "no fiber is modelled");
}
Woke park(Task&, int64_t, OnKill, ParkReason) {
    model::check(false, "no fiber is modelled");
    return Woke::killed;
}
void wake(WakeToken) {
    model::check(false, "no fiber is modelled");
}
WakeToken Task::token() const {
    return {};
}
int64_t Loop::now() const {
    return 0;
}
int64_t deadline_after(Loop&, int64_t) {
    return 0;
}

} // namespace xtc

int64_t xtc_clock_mono(void) {
    return xtc::clock_mono();
}
