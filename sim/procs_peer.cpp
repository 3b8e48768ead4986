// SPDX-License-Identifier: ISC
#include "procs_peer.hpp"

#include <algorithm>
#include <cstring>

#include "xtc.h"
#include "xtc_accel.h"
#include "xtc_async.h"
#include "xtc_blocking.h"
#include "xtc_future.h"
#include "xtc_net.h"
#include "xtc_sim.h"
#include "xtc_sync.h"

namespace xtc::sim {

namespace {

struct Message {
    size_t from;
    uint64_t number;
};

// What a process holds is given back by a destructor, since a kill ends it anywhere by unwinding its stack.
template <typename Handle> class Held {
public:
    Held(PeerTown& town, Handle handle, void (*give_back)(Handle))
        : town_(town), handle_(handle), give_back_(give_back) {
        town_.open_resources++;
    }
    ~Held() {
        town_.open_resources--;
        if (holds_) give_back_(handle_);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    void used_up() noexcept { holds_ = false; }

private:
    PeerTown& town_;
    Handle handle_;
    void (*give_back_)(Handle);
    bool holds_ = true;
};

void discard(xtc_future_t* future) {
    xtc_future_discard(future);
}
void close_virtual(int fd) {
    xtc_sim_fd_close(fd);
}

} // namespace

int Peer::start(int loop) {
    loop_ = loop;
    town_.oracle.spawned(number_);
    xtc_proc_opts_t opts{};
    opts.name = "peer";
    opts.mailbox_cap = town_.swarm.harm.tiny_queues ? 2 : 0;
    return xtc_proc_spawn(xtc_exec_loop(town_.exec, loop), body, this, &opts, &pid_);
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
                auto& ran = *static_cast<Hook*>(arg);
                ran.peer->town_.oracle.hook_ran(ran.peer->number_, ran.number);
                if (ran.number == 1 && ran.peer->draw_.coin()) xtc_proc_sleep(1'000); // a hook may wait
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
    switch (draw_.below(13)) {
    case 0:
    case 1:
        send();
        break;
    case 2:
    case 3:
        receive();
        break;
    case 4:
        nap();
        break;
    case 5:
        kill();
        break;
    case 6:
        masked_nap();
        break;
    case 7:
        timer();
        break;
    case 8:
        child();
        break;
    case 9:
        offload();
        break;
    case 10:
        promise_elsewhere();
        break;
    case 11:
        draw_.coin() ? fence() : notify();
        break;
    default:
        stream();
        break;
    }
    if (draw_.coin()) parked(xtc_yield);
}

void Peer::send() {
    const Peer& to = *town_.peers[draw_.below(town_.peers.size())];
    const Message message{number_, last_message_ + 1};
    const int status = xtc_send(to.pid_, &message, sizeof message);
    if (status == XTC_OK) {
        last_message_++;
        town_.oracle.sent(number_, to.number_, message.number);
    } else if (status != XTC_E_AGAIN && status != XTC_E_INVAL) {
        town_.complaints.add("send answered %d", status);
    }
}

void Peer::receive() {
    void* data = nullptr;
    size_t size = 0;
    const int64_t timeout = draw_.magnitude(0, 2'000'000);
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_recv(&data, &size, timeout);
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("receive", timeout, xtc_clock_mono() - begun);
    } else if (status != XTC_OK || size != sizeof(Message)) {
        town_.complaints.add("receive answered %d with %zu bytes", status, size);
    } else {
        Message message{};
        std::memcpy(&message, data, sizeof message);
        xtc_free(data);
        town_.oracle.received(message.from, number_, message.number);
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

void Peer::timer() {
    const int64_t delay = draw_.magnitude(0, 3'000'000);
    PeerTown::Timer& timer = town_.timers.emplace_back(
        PeerTown::Timer{&town_, town_.oracle.timer_set(xtc_clock_mono() + delay), nullptr});
    const int status = xtc_timer_set(
        xtc_exec_loop(town_.exec, loop_), delay,
        [](void* arg) {
            const auto& fired = *static_cast<PeerTown::Timer*>(arg);
            fired.town->oracle.timer_fired(fired.number, xtc_clock_mono());
        },
        &timer, &timer.handle);
    if (status != XTC_OK) town_.complaints.add("timer_set answered %d", status);
    if (!draw_.chance({1, 3})) return;
    nap();
    if (xtc_timer_cancel(timer.handle) != XTC_OK) town_.complaints.add("a timer could not be cancelled");
    town_.oracle.timer_cancelled(timer.number);
}

void Peer::child() {
    const intptr_t expected = static_cast<intptr_t>(draw_.below(1000));
    xtc_task_t* task = nullptr;
    const int loop =
        draw_.coin() ? loop_ : static_cast<int>(draw_.below(static_cast<uint64_t>(town_.swarm.loops)));
    const int status = xtc_exec_async_on(
        town_.exec, loop,
        [](void* arg) {
            for (intptr_t i = 0; i < reinterpret_cast<intptr_t>(arg) % 4; i++) xtc_yield();
            return reinterpret_cast<intptr_t>(arg);
        },
        reinterpret_cast<void*>(expected), &task);
    if (status != XTC_OK) {
        town_.complaints.add("async answered %d", status);
        return;
    }
    town_.unawaited++;
    if (draw_.coin()) parked(xtc_yield);
    intptr_t result = -1;
    const int awaited = xtc_await(task, &result);
    town_.unawaited--; // a kill has left it to the loop's end
    if (awaited != XTC_OK || result != expected) town_.complaints.add("await answered %d", awaited);
}

void Peer::offload() {
    int ran = 0, result = 0;
    const int status = xtc_blocking_run(
        [](void* arg) {
            ++*static_cast<int*>(arg);
            return 41;
        },
        &ran, &result);
    const bool refused = status == XTC_E_RESOURCE && ran == 0 && !town_.swarm.knobs.offload_refused.never();
    if (!refused && (status != XTC_OK || ran != 1 || result != 41)) {
        town_.complaints.add("blocking_run answered %d, ran %d times", status, ran);
    }
}

void Peer::promise_elsewhere() {
    struct Errand {
        xtc_promise_t* promise;
        int64_t delay;
        bool drops;
    };
    xtc_future_t* future = nullptr;
    auto* const errand = new Errand{nullptr, draw_.magnitude(0, 1'000'000), draw_.chance({1, 4})};
    if (xtc_future_new_pair(&errand->promise, &future) != XTC_OK) {
        town_.complaints.add("no future");
        delete errand;
        return;
    }
    Held<xtc_future_t*> held(town_, future, discard);
    const bool drops = errand->drops;
    xtc_proc_spawn(
        xtc_exec_loop(town_.exec, static_cast<int>(draw_.below(static_cast<uint64_t>(town_.swarm.loops)))),
        [](void* arg) {
            const std::unique_ptr<Errand> self(static_cast<Errand*>(arg));
            xtc_proc_sleep(self->delay);
            if (self->drops) {
                xtc_promise_drop(self->promise);
            } else {
                xtc_promise_set(self->promise, 7, XTC_OK);
            }
        },
        errand, nullptr, nullptr);
    intptr_t value = 0;
    if (draw_.coin()) {
        const int64_t timeout = draw_.magnitude(0, 1'000'000);
        const int64_t begun = xtc_clock_mono();
        if (xtc_future_wait(future, &value, timeout) == XTC_E_AGAIN) {
            town_.oracle.timed_out("future_wait", timeout, xtc_clock_mono() - begun);
            return; // and the value is lost
        }
    } else {
        const int status = xtc_future_await(future, &value);
        if (status != (drops ? XTC_E_ABORTED : XTC_OK))
            town_.complaints.add("future_await answered %d", status);
    }
    held.used_up();
    if (!drops && value != 7) town_.complaints.add("a future's value was lost");
}

void Peer::fence() {
    int fd = -1;
    if (xtc_sim_fd_create(town_.exec, &fd) != XTC_OK) return;
    const Held<int> held(town_, fd, close_virtual);
    const int64_t delay = draw_.magnitude(0, 2'000'000),
                  timeout = draw_.coin() ? -1 : draw_.magnitude(0, 2'000'000);
    const bool fails = draw_.chance({1, 8});
    xtc_sim_fd_signal(fd, fails ? XTC_IO_ERR : XTC_IO_READABLE, delay);
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_accel_wait_fence(fd, timeout);
    const int64_t took = xtc_clock_mono() - begun;
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("wait_fence", timeout, took);
    } else if (status != (fails ? XTC_E_INVAL : XTC_OK) || took < delay) {
        town_.complaints.add("wait_fence answered %d", status);
    }
}

void Peer::notify() {
    xtc_notify_t* notify = nullptr;
    if (xtc_notify_create(&notify) != XTC_OK) return;
    const Held<xtc_notify_t*> held(town_, notify, xtc_notify_destroy);
    const int64_t timeout = draw_.magnitude(0, 500'000);
    if (draw_.coin()) xtc_notify_signal(notify);
    xtc_notify_signal(notify); // permits do not add up
    if (xtc_notify_wait(notify, timeout) != XTC_OK) town_.complaints.add("a permit was lost");
    const int64_t begun = xtc_clock_mono();
    if (xtc_notify_wait(notify, timeout) != XTC_E_AGAIN) town_.complaints.add("a permit was given twice");
    town_.oracle.timed_out("notify_wait", timeout, xtc_clock_mono() - begun);
}

// Writes on one end, reads on the other; the bytes are a sequence that cannot be mistaken.
void Peer::stream() {
    struct Writer {
        int fd;
        size_t length;
        bool done;
    };
    int ends[2];
    if (xtc_sim_socketpair(town_.exec, ends) != XTC_OK) return;
    const Held<int> reading(town_, ends[1], xtc_net_close);
    auto* const writer = new Writer{ends[0], static_cast<size_t>(draw_.magnitude(1, 20'000)), false};
    const size_t length = writer->length;
    xtc_proc_spawn(
        xtc_exec_loop(town_.exec, static_cast<int>(draw_.below(static_cast<uint64_t>(town_.swarm.loops)))),
        [](void* arg) {
            const std::unique_ptr<Writer> self(static_cast<Writer*>(arg));
            std::vector<unsigned char> bytes(self->length);
            for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
            xtc_net_write(self->fd, bytes.data(), bytes.size(), -1, nullptr);
            xtc_net_close(self->fd);
        },
        writer, nullptr, nullptr);
    const bool may_fail = !town_.swarm.knobs.io_error.never();
    unsigned char buf[512];
    size_t got = 0;
    for (;;) {
        size_t n = 0;
        const int status = xtc_net_read(ends[1], buf, 1 + draw_.below(sizeof buf), -1, &n);
        if (status == XTC_E_IO && may_fail) return;
        if (status != XTC_OK) {
            town_.complaints.add("net_read answered %d", status);
            return;
        }
        if (n == 0) break;
        for (size_t i = 0; i < n; i++, got++) {
            if (buf[i] != static_cast<unsigned char>(got * 7 + got / 251)) {
                town_.complaints.add("byte %zu of a stream is wrong", got);
                return;
            }
        }
    }
    if (got != length && !may_fail)
        town_.complaints.add("a stream of %zu bytes ended after %zu", length, got);
}

} // namespace xtc::sim
