// SPDX-License-Identifier: ISC
#include "check_procs.hpp"

#include <algorithm>
#include <cinttypes>

#include "xtc.h"

namespace xtc::sim {

void ProcsOracle::spawned(size_t proc, size_t mailbox_cap) {
    procs_[proc].mailbox_cap = mailbox_cap;
}

void ProcsOracle::started(size_t proc) {
    if (procs_[proc].has_started) complaints_.add("process %zu started twice", proc);
    procs_[proc].has_started = true;
}

void ProcsOracle::registered_hook(size_t proc, int hook) {
    procs_[proc].hooks.push_back(hook);
}

void ProcsOracle::unwound(size_t proc) {
    Proc& record = procs_[proc];
    if (record.is_unwound) complaints_.add("process %zu left its stack twice", proc);
    if (record.has_ended) complaints_.add("process %zu left its stack after its hooks", proc);
    record.is_unwound = true;
}

void ProcsOracle::hook_ran(size_t proc, int hook) {
    Proc& record = procs_[proc];
    if (!record.is_unwound)
        complaints_.add("hook %d of process %zu ran before its stack was left", hook, proc);
    if (record.hooks.empty() || record.hooks.back() != hook) {
        complaints_.add("hook %d of process %zu ran out of order, or twice", hook, proc);
        return;
    }
    record.hooks.pop_back();
    record.hooks_inside++;
    record.has_ended = record.hooks.empty();
}

void ProcsOracle::hook_returned(size_t proc) {
    procs_[proc].hooks_inside--;
}

void ProcsOracle::kill_asked(size_t proc, bool was_accepted) {
    Proc& record = procs_[proc];
    if (was_accepted) {
        record.is_killed = true;
    } else if (!may_be_gone(record)) {
        complaints_.add("a kill did not find the living process %zu", proc);
    }
}

void ProcsOracle::parks(size_t proc, bool masked) {
    Proc& record = procs_[proc];
    record.killed_before_park = record.is_killed;
    record.masked = masked;
}

void ProcsOracle::returned(size_t proc) {
    const Proc& record = procs_[proc];
    if (record.killed_before_park && !record.masked)
        complaints_.add("killed process %zu came back from a wait", proc);
}

void ProcsOracle::sent(size_t from, size_t to, uint64_t number, int status) {
    Proc& record = procs_[to];
    if (status == XTC_OK) {
        if (record.has_ended) complaints_.add("a message was accepted for the ended process %zu", to);
        if (record.mail >= record.mailbox_cap) complaints_.add("a message was accepted for a full mailbox");
        record.mail++;
        under_way_[{from, to}].push_back(number);
        messages_++;
    } else if (status == XTC_E_AGAIN) {
        if (record.mail < record.mailbox_cap)
            complaints_.add("a mailbox was full with %zu messages", record.mail);
    } else if (status != XTC_E_INVAL || !may_be_gone(record)) {
        complaints_.add("send to process %zu answered %d", to, status);
    }
}

void ProcsOracle::receives(size_t proc) {
    procs_[proc].is_receiving = true;
}

void ProcsOracle::received(size_t from, size_t addressee, size_t to, uint64_t number) {
    Proc& record = procs_[to];
    record.is_receiving = false;
    if (addressee != to) {
        complaints_.add("process %zu received a message for %zu", to, addressee);
        return;
    }
    if (record.mail > 0) record.mail--;
    std::deque<uint64_t>& queue = under_way_[{from, to}];
    if (queue.empty() || queue.front() != number) {
        const bool known = std::find(queue.begin(), queue.end(), number) != queue.end();
        complaints_.add("message %" PRIu64 " from %zu to %zu %s", number, from, to,
                        known ? "overtook another" : "was never sent, or came twice");
    }
    while (!queue.empty() && queue.front() <= number) queue.pop_front();
}

void ProcsOracle::saw_mail(size_t proc) {
    if (procs_[proc].mail == 0) complaints_.add("process %zu was told of mail it has not", proc);
}

void ProcsOracle::all_asleep() {
    for (const auto& [number, proc] : procs_) {
        if (!proc.has_started || proc.is_unwound) continue;
        if (proc.is_killed) complaints_.add("killed process %zu sleeps for ever", number);
        if (proc.is_receiving && proc.mail > 0) {
            complaints_.add("process %zu sleeps for ever with %zu messages", number, proc.mail);
        }
    }
}

void ProcsOracle::slept(int64_t asked, int64_t took) {
    if (took < asked) complaints_.add("a sleep of %" PRId64 " ns took %" PRId64, asked, took);
}

void ProcsOracle::timed_out(const char* what, int64_t asked, int64_t took) {
    if (asked < 0 || took < asked)
        complaints_.add("%s with timeout %" PRId64 " gave up after %" PRId64, what, asked, took);
}

uint64_t ProcsOracle::timer_set(int64_t due) {
    timers_.push_back({due, false, false});
    return timers_.size() - 1;
}

void ProcsOracle::timer_fired(uint64_t timer, int64_t now) {
    Timer& record = timers_[timer];
    if (record.fired) complaints_.add("timer %" PRIu64 " fired twice", timer);
    if (record.cancelled) complaints_.add("timer %" PRIu64 " fired after its cancel", timer);
    if (now < record.due)
        complaints_.add("timer %" PRIu64 " fired %" PRId64 " ns early", timer, record.due - now);
    record.fired = true;
}

void ProcsOracle::timer_cancelled(uint64_t timer) {
    timers_[timer].cancelled = true;
}

size_t ProcsOracle::ended() const {
    return static_cast<size_t>(
        std::count_if(procs_.begin(), procs_.end(), [](const auto& p) { return p.second.has_ended; }));
}

size_t ProcsOracle::killed() const {
    return static_cast<size_t>(
        std::count_if(procs_.begin(), procs_.end(), [](const auto& p) { return p.second.is_killed; }));
}

void ProcsOracle::finished() {
    for (const auto& [number, proc] : procs_) {
        if (!proc.has_started && proc.is_killed) continue;
        if (!proc.is_unwound) complaints_.add("process %zu never left its stack", number);
        if (proc.hooks_inside != 0) complaints_.add("a hook of process %zu never returned", number);
        if (!proc.has_ended)
            complaints_.add("process %zu has %zu hooks that never ran", number, proc.hooks.size());
    }
    for (size_t i = 0; i < timers_.size(); i++) {
        if (!timers_[i].fired && !timers_[i].cancelled) complaints_.add("timer %zu never fired", i);
    }
}

} // namespace xtc::sim
