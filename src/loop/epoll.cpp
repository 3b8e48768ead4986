// SPDX-License-Identifier: ISC
#include "loop/epoll.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sys/epoll.h>
#include <unistd.h>

namespace xtc {

namespace {

constexpr int64_t for_ever = INT64_MAX;
constexpr uint64_t bell_tag = UINT64_MAX; // the fd in it is -1
constexpr uint32_t trouble = EPOLLERR | EPOLLHUP;

bool is_live(const xtc_op_t* op) {
    return (op->priv[0] & op_flag::orphan) == 0;
}

template <class F> void for_each(const OpList& list, F&& visit) {
    for (xtc_op_t* op = list.front(); op != nullptr;) {
        xtc_op_t* next = op->next;
        visit(op);
        op = next;
    }
}

// Two readers of one fd: the later one does not try before the earlier one is done.
bool is_behind_another(const OpList& list, const xtc_op_t* op) {
    const uint32_t direction = readiness_of(op);
    for (const xtc_op_t* other = list.front(); other != nullptr && other != op; other = other->next) {
        if (other->kind != XTC_OP_POLL && readiness_of(other) == direction) return true;
    }
    return false;
}

} // namespace

EpollDriver::~EpollDriver() {
    if (set_ >= 0) ::close(set_);
}

int EpollDriver::open() noexcept {
    set_ = ::epoll_create1(EPOLL_CLOEXEC);
    return set_ >= 0 ? 0 : -errno;
}

void EpollDriver::abandon() noexcept {
    set_ = -1;
    bell_.abandon();
}

int EpollDriver::hear_bell() noexcept {
    const int fd = bell_.eventfd();
    if (fd < 0) return fd;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = bell_tag;
    if (::epoll_ctl(set_, EPOLL_CTL_ADD, fd, &event) != 0) return -errno;
    hears_bell_ = true;
    return 0;
}

void EpollDriver::finish(Slot* slot, xtc_op_t* op, int64_t result) noexcept {
    if (slot != nullptr) {
        slot->ops.remove(op);
        --in_flight_;
    }
    op->res = result;
    op->priv[0] |= op_flag::finished;
    done_.push_back(op);
}

void EpollDriver::submit(xtc_op_t* op) noexcept {
    const bool was_tried = last_try_.take(op);
    op->priv[0] = 0;
    Slot* slot = nullptr;
    int rc = slots_.get(op->fd, slot);
    if (rc == 0 && op->kind == XTC_OP_POLL && !was_tried) rc = check_pollable(op->fd);
    if (rc != 0) return finish(nullptr, op, rc);

    slot->ops.push_back(op);
    ++in_flight_;
    const bool may_perform = op->kind == XTC_OP_CONNECT || (op->kind != XTC_OP_POLL && !was_tried);
    if (may_perform && !is_behind_another(slot->ops, op) && perform_now(op, false))
        return finish(slot, op, op->res);

    rc = arm(op->fd, *slot, op);
    if (rc == -EPERM)
        rc = perform_now(op, false) ? static_cast<int>(op->res) : -EINVAL; // has no poll: always ready
    if (rc != 0) finish(slot, op, rc);
}

int EpollDriver::control(int how, int fd, const Slot& slot, uint32_t events) noexcept {
    epoll_event event{};
    event.events = events | EPOLLONESHOT;
    event.data.u64 = uint64_t{slot.generation} << 32 | static_cast<uint32_t>(fd);
    return ::epoll_ctl(set_, how, fd, &event) == 0 ? 0 : -errno;
}

// Asks for what the live operations of the slot wait for. `newest`, if any, was just added: unlike those
// before it, it means the file that has the number now.
int EpollDriver::arm(int fd, Slot& slot, xtc_op_t* newest) noexcept {
    uint32_t wanted = 0;
    for_each(slot.ops, [&](xtc_op_t* op) { wanted |= is_live(op) ? readiness_of(op) : 0; });
    if (slot.is_registered) {
        const int rc = control(EPOLL_CTL_MOD, fd, slot, wanted);
        const bool is_gone = rc == -ENOENT || (rc == -EBADF && newest == nullptr);
        if (!is_gone) return rc;
        for_each(slot.ops, [&](xtc_op_t* op) { op->priv[0] |= op != newest ? op_flag::orphan : 0; });
        slot.is_registered = false;
        ++slot.generation;
        if (newest == nullptr) return 0;
        wanted = readiness_of(newest);
    }
    int rc = control(EPOLL_CTL_ADD, fd, slot, wanted);
    // The number was given away and came back to a file that the set never forgot.
    if (rc == -EEXIST) rc = control(EPOLL_CTL_MOD, fd, slot, wanted);
    slot.is_registered = rc == 0;
    return rc;
}

void EpollDriver::cancel(xtc_op_t* op) noexcept {
    if ((op->priv[0] & op_flag::finished) != 0) return;
    // The set keeps its entry: at most one event that finds nobody.
    finish(slots_.find(op->fd), op, -ECANCELED);
}

void EpollDriver::abort_fd(int fd) noexcept {
    last_try_.forget();
    Slot* slot = slots_.find(fd);
    if (slot == nullptr) return;
    for_each(slot->ops, [&](xtc_op_t* op) { finish(slot, op, -ECONNABORTED); });
    if (!slot->is_registered) return;
    // Closing alone would leave the entry if the file has another number, in a forked child for instance.
    ::epoll_ctl(set_, EPOLL_CTL_DEL, fd, nullptr);
    slot->is_registered = false;
    ++slot->generation;
}

void EpollDriver::deliver(int fd, uint32_t generation, uint32_t events) noexcept {
    Slot* slot = slots_.find(fd);
    if (slot == nullptr || slot->generation != generation) return;
    bool is_wanted = false;
    for_each(slot->ops, [&](xtc_op_t* op) {
        if (!is_live(op)) return;
        const uint32_t bits = events & (readiness_of(op) | trouble);
        if (bits != 0 && op->kind == XTC_OP_POLL) return finish(slot, op, bits);
        if (bits != 0 && perform_now(op, true)) return finish(slot, op, op->res);
        is_wanted = true;
    });
    if (!is_wanted) return;
    const int rc = arm(fd, *slot, nullptr);
    if (rc == 0) return;
    for_each(slot->ops, [&](xtc_op_t* op) {
        if (is_live(op)) finish(slot, op, rc);
    });
}

bool EpollDriver::harvest(int64_t timeout_ns) noexcept {
    epoll_event events[128];
    constexpr int room = std::size(events);
    int n = -1;
    if (has_nanoseconds_) {
        const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                               static_cast<long>(timeout_ns % 1'000'000'000)};
        n = ::epoll_pwait2(set_, events, room, timeout_ns != for_ever ? &timeout : nullptr, nullptr);
        // Some seccomp filters answer EPERM to a call they do not know.
        if (n < 0 && (errno == ENOSYS || errno == EPERM)) has_nanoseconds_ = false;
    }
    if (!has_nanoseconds_) {
        constexpr int64_t longest = 1'000'000'000; // milliseconds
        const int64_t rounded_up = std::min(timeout_ns / 1'000'000 + (timeout_ns % 1'000'000 != 0), longest);
        n = ::epoll_wait(set_, events, room, timeout_ns != for_ever ? static_cast<int>(rounded_up) : -1);
    }
    XTC_ASSERT(n >= 0 || errno == EINTR);
    for (int i = 0; i < n; ++i) {
        const uint64_t tag = events[i].data.u64;
        if (tag == bell_tag)
            bell_.drain();
        else
            deliver(static_cast<int>(tag), static_cast<uint32_t>(tag >> 32), events[i].events);
    }
    return n >= 0;
}

void EpollDriver::nap(int64_t until) noexcept {
    const auto left = [until] {
        return until == XTC_UNTIL_NEVER ? for_ever : std::max<int64_t>(until - monotonic_now(), 0);
    };
    if (in_flight_ == 0) {
        if (left() > 0 && bell_.listen(Doorbell::Ear::futex)) bell_.sleep(until);
    } else {
        // The kernel ends this sleep for any signal, such as its own for what is left of a ring that the
        // thread has closed, and does not take it up again.
        bool sleeps;
        do sleeps = left() > 0 && bell_.listen(Doorbell::Ear::eventfd);
        while (!harvest(sleeps ? left() : 0) && sleeps);
    }
    bell_.stop_listening();
    bell_.take();
}

xtc_op_t* EpollDriver::wait(int64_t until) noexcept {
    XTC_ASSERT(hears_bell_);
    last_try_.forget();
    const bool stays_awake = bell_.take() || until == XTC_UNTIL_POLL || !done_.empty();
    if (!stays_awake)
        nap(until);
    else if (in_flight_ != 0 || bell_.is_undrained())
        harvest(0);
    if (is_stepped_) {
        // What was rung until now is answered by this wait's return.
        while (!bell_.listen(Doorbell::Ear::eventfd)) bell_.take();
    }
    return done_.take_all();
}

xtc_op_t* EpollDriver::collect() noexcept {
    if (in_flight_ != 0) harvest(0);
    return done_.take_all();
}

int EpollDriver::pollfd() noexcept {
    if (!is_stepped_) {
        is_stepped_ = true;
        if (!bell_.listen(Doorbell::Ear::eventfd)) bell_.announce();
    }
    if (!done_.empty()) bell_.announce();
    return set_;
}

const xtc_seam_driver_t EpollDriver::table = {
    sizeof(xtc_seam_driver_t),
    "epoll",
    [](void*) { return monotonic_now(); },
    [](void* self, xtc_op_t* op) {
        const int is_done = try_op(op);
        if (is_done == 0) static_cast<EpollDriver*>(self)->remember_try(op);
        return is_done;
    },
    [](void* self, xtc_op_t* op) { static_cast<EpollDriver*>(self)->submit(op); },
    [](void* self, xtc_op_t* op) { static_cast<EpollDriver*>(self)->cancel(op); },
    [](void* self, int64_t until) { return static_cast<EpollDriver*>(self)->wait(until); },
    [](void* self) { static_cast<EpollDriver*>(self)->wake(); },
    [](void* self, int fd) { static_cast<EpollDriver*>(self)->abort_fd(fd); },
    [](void* self, int fd) {
        static_cast<EpollDriver*>(self)->abort_fd(fd);
        ::close(fd);
    },
    [](void*) {}, // the kernel writes to nobody's memory, and any thread may wait on the set
    [](void* self) { return static_cast<EpollDriver*>(self)->pollfd(); },
    [](void* self) {
        auto* driver = static_cast<EpollDriver*>(self);
        if (driver->made_by_ != ::getpid()) driver->abandon();
        delete driver;
    },
};

} // namespace xtc
