// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "base/prng.hpp"
#include "check_procs.hpp"
#include "complaints.hpp"
#include "swarm.hpp"
#include "xtc_exec.h"
#include "xtc_loop.h"
#include "xtc_proc.h"

namespace xtc::sim {

class Peer;

// What the processes of one run share.
struct PeerTown {
    PeerTown(const Swarm& its_swarm, xtc_exec_t* its_exec, Complaints& its_complaints)
        : swarm(its_swarm), exec(its_exec), complaints(its_complaints), oracle(its_complaints) {}

    static constexpr size_t max_peers = 60;
    static constexpr size_t post_office = SIZE_MAX; // the sender who is no process

    void heal(); // wakes whoever sleeps for ever
    void post(const Peer& to);
    static void postman(void* self); // a process: keeps the others from sleeping for ever, for some time
    xtc_loop_t* loop(int index) const { return xtc_exec_loop(exec, index); }
    int any_loop(Prng& draw) const {
        return static_cast<int>(draw.below(static_cast<uint64_t>(swarm.loops)));
    }

    const Swarm& swarm;
    xtc_exec_t* exec;
    Complaints& complaints;
    ProcsOracle oracle;
    std::vector<std::unique_ptr<Peer>> peers;
    struct Timer {
        PeerTown* town;
        uint64_t number;
        xtc_timer_t* handle;
    };
    std::deque<Timer> timers;  // the addresses are the loops'
    std::set<int> dark_fences; // only the postman signals them, or the healing
    Prng post_draw{0};
    int64_t rounds = 0;
    uint64_t last_post = 0;
    bool healed = false;
    size_t open_resources = 0; // held by objects on the processes' stacks, and by tasks
    int64_t unawaited = 0;     // fibers with a result that nobody has taken
    uint64_t acts = 0;
};

// One process that does what its seed says until it has done enough or is killed.
class Peer {
public:
    Peer(PeerTown& town, size_t number, Prng draw, int acts)
        : town_(town), number_(number), draw_(draw), left_(acts) {}
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    int start(int loop);
    xtc_pid_t pid() const noexcept { return pid_; }
    size_t number() const noexcept { return number_; }

private:
    struct Hook {
        Peer* peer;
        int number;
    };

    static void body(void* self);
    void live();
    void act();
    void parked(const std::function<void()>& call);

    // procs_peer.cpp: each other
    void send();
    void receive();
    void receive_for_ever();
    void took(void* data, size_t size);
    void nap();
    void kill();
    void wake();
    void bear();
    void masked_nap();

    // procs_waits.cpp: everything else one can wait for
    void timers();
    void child();
    void offload();
    void promise_elsewhere();
    void fence();
    void dark_fence();
    void wait_fd();
    void notify();
    void stream();
    void task();

    PeerTown& town_;
    size_t number_;
    Prng draw_;
    int left_;
    int loop_ = 0;
    xtc_pid_t pid_ = XTC_PID_NONE;
    uint64_t last_message_ = 0;
    bool masked_ = false;
    bool was_nudged_ = false; // by xtc_proc_wake, and no wait_fd has ended since
    std::vector<Hook> hooks_;
};

} // namespace xtc::sim
