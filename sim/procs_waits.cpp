// SPDX-License-Identifier: ISC
//
// What else a process can wait for: timers, fibers, closures, futures, descriptors, notifies, streams.
#include <vector>

#include "procs_peer.hpp"
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

void Peer::timers() {
    std::vector<PeerTown::Timer*> mine;
    for (int64_t n = draw_.magnitude(1, 8); n > 0; n--) {
        const int64_t delay = draw_.magnitude(0, 3'000'000);
        PeerTown::Timer& timer = town_.timers.emplace_back(
            PeerTown::Timer{&town_, town_.oracle.timer_set(xtc_clock_mono() + delay), nullptr});
        const int status = xtc_timer_set(
            town_.loop(loop_), delay,
            [](void* arg) {
                const auto& fired = *static_cast<PeerTown::Timer*>(arg);
                fired.town->oracle.timer_fired(fired.number, xtc_clock_mono());
            },
            &timer, &timer.handle);
        if (status != XTC_OK) town_.complaints.add("timer_set answered %d", status);
        mine.push_back(&timer);
    }
    if (draw_.coin()) nap();
    while (!mine.empty()) {
        const size_t at = draw_.below(mine.size());
        if (draw_.coin()) {
            if (xtc_timer_cancel(mine[at]->handle) != XTC_OK)
                town_.complaints.add("a timer could not be cancelled");
            town_.oracle.timer_cancelled(mine[at]->number);
        }
        mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void Peer::child() {
    const auto expected = static_cast<intptr_t>(draw_.below(1000));
    xtc_task_t* task = nullptr;
    const int status = xtc_exec_async_on(
        town_.exec, draw_.coin() ? loop_ : town_.any_loop(draw_),
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
        town_.loop(town_.any_loop(draw_)),
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
    const int64_t delay = draw_.magnitude(0, 2'000'000);
    const int64_t timeout = draw_.coin() ? -1 : draw_.magnitude(0, 2'000'000);
    const bool fails = draw_.chance({1, 8});
    xtc_sim_fd_signal(fd, fails ? XTC_IO_ERR : XTC_IO_READABLE, delay);
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_accel_wait_fence(fd, timeout);
    const int64_t took = xtc_clock_mono() - begun;
    if (status == XTC_E_NOSYS) return; // a build without accelerators
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("wait_fence", timeout, took);
    } else if (status != (fails ? XTC_E_INVAL : XTC_OK) || took < delay) {
        town_.complaints.add("wait_fence answered %d", status);
    }
}

// Hardly anybody signals it: a timeout or a kill ends the wait.
void Peer::dark_fence() {
    int fd = -1;
    if (xtc_sim_fd_create(town_.exec, &fd) != XTC_OK) return;
    const Held<int> held(town_, fd, close_virtual);
    struct Dark {
        std::set<int>& all;
        int fd;
        ~Dark() { all.erase(fd); }
    } dark{town_.dark_fences, fd};
    dark.all.insert(fd);
    const int64_t timeout = draw_.chance({1, 10}) ? -1 : draw_.magnitude(0, 2'000'000);
    const int64_t begun = xtc_clock_mono();
    const int status = xtc_accel_wait_fence(fd, timeout);
    if (status == XTC_E_NOSYS) return;
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("wait_fence", timeout, xtc_clock_mono() - begun);
    } else if (status != XTC_OK) {
        town_.complaints.add("wait_fence answered %d", status);
    }
}

void Peer::wait_fd() {
    int fd = -1;
    if (xtc_sim_fd_create(town_.exec, &fd) != XTC_OK) return;
    const Held<int> held(town_, fd, close_virtual);
    const int64_t delay = draw_.magnitude(0, 2'000'000), timeout = draw_.magnitude(0, 2'000'000);
    xtc_sim_fd_signal(fd, XTC_IO_READABLE, delay);
    const int64_t begun = xtc_clock_mono();
    uint32_t bits = 0;
    const int status = xtc_proc_wait_fd(fd, XTC_IO_READABLE, timeout, &bits);
    const int64_t took = xtc_clock_mono() - begun;
    if (status == XTC_E_AGAIN) {
        town_.oracle.timed_out("wait_fd", timeout, took);
        if ((bits & XTC_WAIT_TIMEOUT) == 0) town_.complaints.add("wait_fd timed out with bits %x", bits);
    } else if (status != XTC_OK) {
        town_.complaints.add("wait_fd answered %d", status);
    }
    if ((bits & XTC_WAIT_MAILBOX) != 0) town_.oracle.saw_mail(number_);
    if ((bits & XTC_IO_READABLE) != 0 && took < delay) town_.complaints.add("wait_fd saw what was not there");
    if (bits == 0 && !was_nudged_) town_.complaints.add("wait_fd ended for nothing");
    was_nudged_ = false;
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

// Reads what another process writes; the bytes are a sequence that cannot be mistaken.
void Peer::stream() {
    struct Writer {
        int fd;
        size_t length;
    };
    int ends[2];
    if (xtc_sim_socketpair(town_.exec, ends) != XTC_OK) return;
    const Held<int> reading(town_, ends[1], xtc_net_close);
    auto* const writer = new Writer{ends[0], static_cast<size_t>(draw_.magnitude(1, 20'000))};
    const size_t length = writer->length;
    xtc_proc_spawn(
        town_.loop(town_.any_loop(draw_)),
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
        const int64_t timeout = draw_.coin() ? -1 : draw_.magnitude(0, 20'000);
        const int64_t begun = xtc_clock_mono();
        const int status = xtc_net_read(ends[1], buf, 1 + draw_.below(sizeof buf), timeout, &n);
        if (status == XTC_E_AGAIN) {
            town_.oracle.timed_out("net_read", timeout, xtc_clock_mono() - begun);
            continue; // nothing was taken
        }
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

// A stackless task that waits for a timer, for a wake from another loop and for a descriptor, one after the
// other.
void Peer::task() {
    struct Story {
        PeerTown& town;
        int chapter = 0;
        int64_t delay;
        int64_t begun = 0;
        int errand_loop;
        int fd = -1;
        xtc_waker_t waker{};
        bool woken = false;

        ~Story() {
            if (fd >= 0) xtc_sim_fd_close(fd);
            town.open_resources--;
        }
        int next(xtc_task_t* self) {
            const int64_t took = xtc_clock_mono() - begun;
            begun = xtc_clock_mono();
            switch (chapter++) {
            case 0:
                return xtc_task_park_on_timer(self, delay) == XTC_OK ? XTC_TASK_PENDING
                                                                     : broken("park_on_timer");
            case 1:
                town.oracle.slept(delay, took);
                if (xtc_task_waker(self, &waker) != XTC_OK) return broken("waker");
                xtc_proc_spawn(
                    town.loop(errand_loop),
                    [](void* arg) {
                        auto& story = *static_cast<Story*>(arg);
                        xtc_proc_sleep(story.delay);
                        story.woken = true;
                        if (xtc_waker_wake(&story.waker) != XTC_OK)
                            story.town.complaints.add("a waker does not wake");
                    },
                    this, nullptr, nullptr);
                return XTC_TASK_PENDING;
            case 2:
                if (!woken) return broken("step before its wake");
                if (xtc_sim_fd_create(town.exec, &fd) != XTC_OK) return broken("fd_create");
                xtc_sim_fd_signal(fd, XTC_IO_READABLE, delay);
                return xtc_task_park_on_fd(self, fd, XTC_IO_READABLE) == XTC_OK ? XTC_TASK_PENDING
                                                                                : broken("park_on_fd");
            case 3:
                town.oracle.slept(delay, took);
                if (xtc_waker_wake(&waker) != XTC_OK) return broken("own waker");
                return XTC_TASK_PENDING; // woken while it ran: it runs again
            case 4:
                return XTC_TASK_RESCHED;
            default:
                return XTC_TASK_DONE;
            }
        }
        int broken(const char* what) const {
            town.complaints.add("a task's %s is wrong", what);
            return XTC_TASK_DONE;
        }
    };
    auto* const story = new Story{.town = town_,
                                  .delay = draw_.magnitude(0, 1'000'000),
                                  .begun = xtc_clock_mono(),
                                  .errand_loop = town_.any_loop(draw_)};
    town_.open_resources++;
    const int status = xtc_exec_spawn_on(
        town_.exec, town_.any_loop(draw_),
        [](xtc_task_t* self, void* arg) {
            auto* const told = static_cast<Story*>(arg);
            const int verdict = told->next(self);
            if (verdict == XTC_TASK_DONE) delete told;
            return verdict;
        },
        story, nullptr);
    if (status != XTC_OK) town_.complaints.add("task_spawn answered %d", status);
}

} // namespace xtc::sim
