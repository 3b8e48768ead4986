// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "complaints.hpp"

namespace xtc::sim {

// Watches processes from outside, by the numbers their workload gives them: messages, times, kills, ends.
class ProcsOracle {
public:
    explicit ProcsOracle(Complaints& complaints) : complaints_(complaints) {}

    void spawned(size_t proc, size_t mailbox_cap);
    void started(size_t proc); // one that is killed first never is
    void registered_hook(size_t proc, int hook);
    void unwound(size_t proc);            // the last object of its stack has gone
    void hook_ran(size_t proc, int hook); // began
    void hook_returned(size_t proc);
    void kill_asked(size_t proc, bool was_accepted);

    // Around a call that parks or yields. A process for which a kill was accepted before does not come back
    // from it, unless it is masked.
    void parks(size_t proc, bool masked);
    void returned(size_t proc);

    void sent(size_t from, size_t to, uint64_t number, int status);
    void receives(size_t proc); // waits for a message without end
    void received(size_t from, size_t addressee, size_t to, uint64_t number);
    void saw_mail(size_t proc); // was told that a message is there

    // A wait of at most or at least `asked`.
    void slept(int64_t asked, int64_t took);
    void timed_out(const char* what, int64_t asked, int64_t took);

    uint64_t timer_set(int64_t due);
    void timer_fired(uint64_t timer, int64_t now);
    void timer_cancelled(uint64_t timer);

    void all_asleep(); // nothing can wake anybody any more
    void finished();   // everything is at rest

    size_t ended() const;
    size_t killed() const;
    uint64_t messages() const noexcept { return messages_; }

private:
    struct Proc {
        std::vector<int> hooks; // registered and not run
        size_t mailbox_cap = 0;
        size_t mail = 0; // accepted for it, not received
        bool is_receiving = false;
        bool has_started = false;
        bool is_killed = false;
        bool killed_before_park = false;
        bool masked = false;
        bool is_unwound = false;
        size_t hooks_inside = 0; // began and not returned
        bool has_ended = false;  // its first hook, registered first, has run
    };
    struct Timer {
        int64_t due = 0;
        bool fired = false, cancelled = false;
    };

    static bool may_be_gone(const Proc& proc) {
        return proc.has_ended || (proc.is_killed && !proc.has_started);
    }

    Complaints& complaints_;
    std::map<size_t, Proc> procs_;
    std::map<std::pair<size_t, size_t>, std::deque<uint64_t>> under_way_;
    std::deque<Timer> timers_;
    uint64_t messages_ = 0;
};

} // namespace xtc::sim
