// SPDX-License-Identifier: ISC
#include "procs_peer.hpp"

#include <cstring>

#include "xtc.h"
#include "xtc_async.h"
#include "xtc_sim.h"

namespace xtc::sim {

namespace {

struct Message {
    size_t from, to;
    uint64_t number;
};

constexpr size_t default_mailbox = 4096;

} // namespace

void PeerTown::post(const Peer& to) {
    const Message message{post_office, to.number(), last_post + 1};
    const int status = xtc_send(to.pid(), &message, sizeof message);
    if (status == XTC_OK) last_post++;
    oracle.sent(message.from, message.to, message.number, status);
}

void PeerTown::heal() {
    healed = true;
    for (const int fd : dark_fences) xtc_sim_fd_signal(fd, XTC_IO_READABLE, 0);
    for (const auto& peer : peers) post(*peer);
}

void PeerTown::postman(void* self) {
    auto& town = *static_cast<PeerTown*>(self);
    for (; town.rounds > 0 && !town.healed; town.rounds--) {
        xtc_proc_sleep(town.post_draw.magnitude(1, 1'000'000));
        town.post(*town.peers[town.post_draw.below(town.peers.size())]);
        if (!town.dark_fences.empty() && town.post_draw.coin()) {
            xtc_sim_fd_signal(*town.dark_fences.begin(), XTC_IO_READABLE, 0);
        }
    }
}

int Peer::start(int loop) {
    loop_ = loop;
    xtc_proc_opts_t opts{};
    opts.name = "peer";
    opts.mailbox_cap = town_.swarm.harm.tiny_queues ? 2 : 0;
    town_.oracle.spawned(number_, opts.mailbox_cap != 0 ? opts.mailbox_cap : default_mailbox);
    return xtc_proc_spawn(town_.loop(loop), body, this, &opts, &pid_);
}

void Peer::body(void* self) {
    static_cast<Peer*>(self)->live();
}

void Peer::live() {
    struct Stack {
        Peer& peer;
        ~Stack() { peer.town_.oracle.unwound(peer.number_); }
    };
    town_.oracle.started(number_);
    const Stack stack{*this};
    hooks_ = {{this, 0}, {this, 1}};
    for (Hook& hook : hooks_) {
        town_.oracle.registered_hook(number_, hook.number);
        const int status = xtc_proc_at_exit(
            [](void* arg) {
                const auto& ran = *static_cast<Hook*>(arg);
                ProcsOracle& oracle = ran.peer->town_.oracle;
                oracle.hook_ran(ran.peer->number_, ran.number);
                if (ran.number == 1) {
                    const int64_t ns = ran.peer->draw_.magnitude(1, 100'000);
                    const int64_t begun = xtc_clock_mono();
                    xtc_proc_sleep(ns); // a hook may wait, and a kill does not end that
                    oracle.slept(ns, xtc_clock_mono() - begun);
                }
                oracle.hook_returned(ran.peer->number_);
            },
            &hook);
        if (status != XTC_OK) town_.complaints.add("at_exit answered %d", status);
    }
    if (xtc_pid_eq(xtc_self(), pid_) == 0) town_.complaints.add("process %zu is not itself", number_);
    for (; left_ > 0 && !town_.healed; left_--) act();
}

void Peer::parked(const std::function<void()>& call) {
    town_.oracle.parks(number_, masked_);
    call();
    town_.oracle.returned(number_);
}

void Peer::act() {
    town_.acts++;
    switch (draw_.below(23)) {
    case 0:
    case 1:
    case 2:
        send();
        break;
    case 3:
    case 4:
        receive();
        break;
    case 5:
        receive_for_ever();
        break;
    case 6:
        nap();
        break;
    case 7:
    case 8:
        kill();
        break;
    case 9:
        masked_nap();
        break;
    case 10:
        timers();
        break;
    case 11:
        child();
        break;
    case 12:
        offload();
        break;
    case 13:
        promise_elsewhere();
        break;
    case 14:
        fence();
        break;
    case 15:
        dark_fence();
        break;
    case 16:
        notify();
        break;
    case 17:
        stream();
        break;
    case 18:
        wait_fd();
        break;
    case 19:
        wake();
        break;
    case 20:
        task();
        break;
    default:
        bear();
        break;
    }
    if (draw_.coin()) parked(xtc_yield);
}

void Peer::send() {
    const Peer& to = *town_.peers[draw_.below(town_.peers.size())];
    const Message message{number_, to.number_, last_message_ + 1};
    const int status = xtc_send(to.pid_, &message, sizeof message);
    if (status == XTC_OK) last_message_++;
    town_.oracle.sent(number_, to.number_, message.number, status);
}

void Peer::took(void* data, size_t size) {
    Message message{};
    if (size == sizeof message) std::memcpy(&message, data, sizeof message);
    xtc_free(data);
    town_.oracle.received(message.from, message.to, number_, message.number);
}

void Peer::receive() {
    void* data = nullptr;
    size_t size = 0;
    const int64_t timeout = draw_.magnitude(0, 2'000'000);
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_recv(&data, &size, timeout);
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("receive", timeout, xtc_clock_mono() - begun);
    } else if (status == XTC_OK) {
        took(data, size);
    } else {
        town_.complaints.add("receive answered %d", status);
    }
}

void Peer::receive_for_ever() {
    void* data = nullptr;
    size_t size = 0;
    town_.oracle.receives(number_);
    const int status = xtc_recv(&data, &size, -1);
    if (status == XTC_OK) {
        took(data, size);
    } else {
        town_.complaints.add("receive answered %d", status);
    }
}

void Peer::nap() {
    const int64_t ns = draw_.magnitude(1, 3'000'000);
    const int64_t begun = xtc_clock_mono();
    parked([ns] { xtc_proc_sleep(ns); });
    town_.oracle.slept(ns, xtc_clock_mono() - begun);
}

void Peer::kill() {
    if (!draw_.chance(town_.swarm.harm.kill)) return;
    Peer& victim = *town_.peers[draw_.below(town_.peers.size())];
    if (&victim == this) {
        town_.oracle.kill_asked(number_, true);
        xtc_exit_self(3);
        town_.complaints.add("process %zu outlived exit_self", number_);
    }
    town_.oracle.kill_asked(victim.number_, xtc_exit_pid(victim.pid_, 9) == XTC_OK);
}

void Peer::wake() {
    Peer& other = *town_.peers[draw_.below(town_.peers.size())];
    other.was_nudged_ = true;
    if (const int status = xtc_proc_wake(other.pid_); status != XTC_OK) {
        town_.complaints.add("wake answered %d", status);
    }
}

// A newcomer, perhaps in the place of one who has died and is still being written to.
void Peer::bear() {
    if (town_.peers.size() >= PeerTown::max_peers) return;
    const size_t number = town_.peers.size();
    town_.peers.push_back(
        std::make_unique<Peer>(town_, number, Prng(draw_.next()), static_cast<int>(draw_.magnitude(1, 50))));
    const int loop = draw_.coin() ? loop_ : town_.any_loop(draw_);
    if (const int status = town_.peers[number]->start(loop); status != XTC_OK) {
        town_.complaints.add("spawn answered %d", status);
    }
}

void Peer::masked_nap() {
    xtc_mask_enter();
    masked_ = true;
    const int64_t ns = draw_.magnitude(1, 1'000'000);
    const int64_t begun = xtc_clock_mono();
    parked([ns] { xtc_proc_sleep(ns); });
    town_.oracle.slept(ns, xtc_clock_mono() - begun); // a kill does not shorten it
    masked_ = false;
    town_.oracle.parks(number_, false);
    xtc_mask_leave(); // delivers what was held back
    town_.oracle.returned(number_);
}

} // namespace xtc::sim
