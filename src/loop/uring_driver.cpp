// SPDX-License-Identifier: ISC
#include "loop/uring_driver.hpp"

#include "base/assert.hpp"

#include <atomic>
#include <cerrno>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace xtc {

namespace {

using namespace op_flag;

// Tags: an operation's address, that address with the lowest bit for a cancel of it, or one of these.
constexpr uint64_t bell_tag = 2;
constexpr uint64_t side_tag = 4;
constexpr uint64_t ignored_tag = 6;
constexpr uint64_t cancel_bit = 1;
static_assert(alignof(xtc_op_t) >= 8);

constexpr uint32_t trouble = POLLERR | POLLHUP | POLLNVAL;

uint64_t tag_of(const xtc_op_t* op) {
    return reinterpret_cast<uintptr_t>(op);
}
xtc_op_t* op_of(uint64_t tag) {
    return reinterpret_cast<xtc_op_t*>(static_cast<uintptr_t>(tag & ~cancel_bit));
}

// Unlike a thread's id or the address of a thread-local, never used again.
uint64_t this_thread() {
    static constinit std::atomic<uint64_t> last{0};
    [[gnu::tls_model("initial-exec")]] static thread_local uint64_t mine = 0;
    if (mine == 0) mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine;
}

} // namespace

UringDriver::UringDriver(bool may_fall_back, Teller tell, UringKernel kernel) noexcept
    : kernel_(kernel), may_fall_back_(may_fall_back), made_by_(::getpid()), tell_(tell) {}

UringDriver::~UringDriver() {
    XTC_ASSERT(in_kernel_ == 0 && noted_.empty());
    if (ring_.is_open() && owner_ == this_thread()) ring_.unregister_from_thread();
    if (host_set_ >= 0) ::close(host_set_);
}

void UringDriver::abandon() noexcept {
    ring_.abandon();
    bell_.abandon();
    if (side_ != nullptr) side_->abandon();
    host_set_ = -1;
    in_kernel_ = 0;
    noted_ = {};
}

// --- what the loop asks ---

void UringDriver::submit(xtc_op_t* op) noexcept {
    const bool was_tried = last_try_.take(op);
    op->priv[0] = 0;
    if (refused_ != 0) {
        if (was_tried && side_ != nullptr) side_->remember_try(op);
        return move_to_side(op);
    }
    OpList* list = nullptr;
    const int rc = in_flight_.get(op->fd, list);
    if (rc != 0) return fail(op, rc);
    list->push_back(op);
    if (was_tried && op->kind == XTC_OP_SEND) op->priv[0] = by_poll;
    note(op);
}

void UringDriver::cancel(xtc_op_t* op) noexcept {
    if ((op->priv[0] & finished) != 0) return;
    if ((op->priv[0] & on_side) != 0) return side_->cancel(op);
    op->priv[0] |= cancelled;
    ask_back(op);
}

void UringDriver::abort_fd(int fd) noexcept {
    last_try_.forget();
    bool is_known_to_kernel = false;
    if (const OpList* list = in_flight_.find(fd)) {
        for (xtc_op_t* op = list->front(); op != nullptr; op = op->next) {
            op->priv[0] |= aborted;
            is_known_to_kernel |= (op->priv[0] & in_kernel) != 0;
            ask_back(op);
        }
    }
    if (side_ != nullptr) side_->abort_fd(fd);
    if (is_known_to_kernel) {
        // Now, not at the next wait: the ring holds the file, and a port, say, is not free before it lets go.
        do {
            hand_over();
            enter();
            reap();
        } while (ring_.has_queued());
    }
}

void UringDriver::suspend() noexcept {
    last_try_.forget();
    if (!ring_.is_open() || owner_ != this_thread()) return;
    in_flight_.for_each([this](OpList& list) {
        for (xtc_op_t* op = list.front(); op != nullptr; op = op->next) {
            op->priv[0] |= recalled;
            ask_back(op);
        }
    });
    if (bell_armed_) queue_entry([this] { return ring_.cancel(bell_tag, ignored_tag); });
    if (side_armed_) queue_entry([this] { return ring_.cancel(side_tag, ignored_tag); });
    OpQueue later;
    for (;;) {
        // Only the cancels: what comes back is noted, and stays so.
        while (!noted_.empty()) later.push(noted_.pop());
        hand_over();
        if (is_at_rest()) break;
        ring_.enter(1, Ring::for_ever);
        reap();
    }
    noted_ = later;
    ring_.unregister_from_thread();
}

int UringDriver::pollfd() noexcept {
    if (host_set_ < 0 && !make_host_set()) return -1;
    // The host is about to sleep: what was started since the last wait must be in the kernel by then.
    leave_ring_of_another_thread();
    hand_over();
    if (ring_.is_open() && ring_.has_queued()) {
        enter();
        reap();
    }
    if (!done_.empty() || is_more_to_find()) bell_.announce();
    return host_set_;
}

bool UringDriver::make_host_set() noexcept {
    const int bell = bell_.eventfd();
    const int set = bell >= 0 ? ::epoll_create1(EPOLL_CLOEXEC) : -1;
    epoll_event event{};
    event.events = EPOLLIN;
    if (set < 0 || ::epoll_ctl(set, EPOLL_CTL_ADD, bell, &event) != 0) {
        if (set >= 0) ::close(set);
        return false;
    }
    host_set_ = set;
    if (has_fallen_back()) ::epoll_ctl(host_set_, EPOLL_CTL_ADD, side_->pollfd(), &event);
    if (ring_.is_open() && owner_ == this_thread()) ring_.announce_on(bell);
    if (!bell_.listen(Doorbell::Ear::eventfd)) bell_.announce();
    return true;
}

xtc_op_t* UringDriver::wait(int64_t until) noexcept {
    last_try_.forget();
    leave_ring_of_another_thread();
    hand_over();
    if (refused_ != 0) return wait_without_ring(until);

    const bool is_open = ring_.is_open();
    const bool stays_awake =
        bell_.take() || until == XTC_UNTIL_POLL || !done_.empty() || (is_open && ring_.has_completion());
    if (!stays_awake)
        nap(until);
    else if (is_open && (ring_.has_queued() || ring_.wants_enter()))
        enter();
    if (ring_.is_open()) {
        reap();
        // What came back and is not done goes in again, or a host that sleeps would never hear of it.
        // Bounded: a wait may return early.
        for (int round = 0; round < 4 && has_loose_ends(); ++round) {
            hand_over();
            enter();
            reap();
        }
    }
    if (host_set_ >= 0) leave_to_host();
    return done_.take_all();
}

// --- notes ---

void UringDriver::note(xtc_op_t* op) noexcept {
    op->priv[0] |= queued;
    noted_.push(op);
}

void UringDriver::ask_back(xtc_op_t* op) noexcept {
    if ((op->priv[0] & in_kernel) == 0 || (op->priv[0] & (cancel_queued | cancel_sent)) != 0) return;
    op->priv[0] |= cancel_queued;
    cancels_.push(op);
}

void UringDriver::finish(xtc_op_t* op, int64_t result) noexcept {
    in_flight_.find(op->fd)->remove(op);
    fail(op, result);
}

void UringDriver::fail(xtc_op_t* op, int64_t result) noexcept {
    op->res = result;
    op->priv[0] |= finished;
    done_.push_back(op);
}

// --- the ring and what stands in for it ---

bool UringDriver::has_ring() noexcept {
    if (!ring_.is_open()) {
        int rc = ring_.open(kernel_.entries, kernel_.shape);
        bell_by_futex_ = rc == 0 && kernel_.has_futex_wait && ring_.has_futex_wait();
        if (rc == 0 && !bell_by_futex_ && bell_.eventfd() < 0) rc = bell_.eventfd();
        if (rc != 0) {
            ring_.close();
            refuse(rc);
            return false;
        }
        owner_ = this_thread();
        if (host_set_ >= 0) ring_.announce_on(bell_.eventfd());
    }
    ring_.register_with_thread();
    return true;
}

void UringDriver::leave_ring_of_another_thread() noexcept {
    if (!ring_.is_open() || owner_ == this_thread()) return;
    XTC_ASSERT(in_kernel_ == 0); // suspend() comes before another thread
    ring_.close();
    bell_armed_ = side_armed_ = false;
}

void UringDriver::refuse(int error) noexcept {
    refused_ = error;
    if (may_fall_back_ && (!make_side() || side_->hear_bell() != 0)) side_.reset();
    tell_refusal(tell_, error, has_fallen_back());
    if (has_fallen_back() && host_set_ >= 0) {
        epoll_event event{};
        event.events = EPOLLIN;
        ::epoll_ctl(host_set_, EPOLL_CTL_ADD, side_->pollfd(), &event);
    }
    while (!noted_.empty()) {
        xtc_op_t* op = noted_.pop();
        in_flight_.find(op->fd)->remove(op);
        const uint64_t flags = op->priv[0];
        if ((flags & aborted) != 0)
            fail(op, -ECONNABORTED);
        else if ((flags & cancelled) != 0)
            fail(op, -ECANCELED);
        else
            move_to_side(op);
    }
}

bool UringDriver::make_side() noexcept {
    if (side_ != nullptr) return true;
    side_.reset(new (std::nothrow) EpollDriver(bell_));
    if (side_ != nullptr && side_->open() != 0) side_.reset();
    return side_ != nullptr;
}

// op is on no list.
void UringDriver::move_to_side(xtc_op_t* op) noexcept {
    if (side_ == nullptr) return fail(op, refused_ != 0 ? refused_ : -ENOMEM);
    side_->submit(op);
    op->priv[0] |= on_side;
}

void UringDriver::take_from_side() noexcept {
    done_.append_all(side_->take_finished());
    if (!side_->is_waiting() || side_armed_ || !has_ring()) return;
    queue_entry([this] { return ring_.poll(side_->set_fd(), POLLIN, side_tag); });
    side_armed_ = true;
}

// --- into the kernel ---

template <class Queue> void UringDriver::queue_entry(Queue&& queue) noexcept {
    while (!queue()) enter();
}

// The kernel takes no more while it is out of memory or has completions that do not fit: make room.
void UringDriver::enter() noexcept {
    if (ring_.enter(0, 0) != 0) reap();
}

bool UringDriver::has_loose_ends() const noexcept {
    if (!noted_.empty() || !cancels_.empty()) return true;
    return side_ != nullptr && (side_->has_finished() || (side_->is_waiting() && !side_armed_));
}

void UringDriver::hand_over() noexcept {
    if (!has_loose_ends() || refused_ != 0 || !has_ring()) return;
    while (!noted_.empty()) start(noted_.pop());
    while (!cancels_.empty()) {
        xtc_op_t* op = cancels_.pop();
        op->priv[0] &= ~cancel_queued;
        if ((op->priv[0] & in_kernel) == 0) {
            settle(op);
            continue;
        }
        op->priv[0] |= cancel_sent;
        ++unanswered_;
        queue_entry([&] { return ring_.cancel(tag_of(op), tag_of(op) | cancel_bit); });
    }
    if (side_ != nullptr) take_from_side();
}

void UringDriver::start(xtc_op_t* op) noexcept {
    uint64_t& flags = op->priv[0];
    flags &= ~queued;
    if ((flags & aborted) != 0) return finish(op, -ECONNABORTED);
    if ((flags & cancelled) != 0) return finish(op, -ECANCELED);
    flags |= in_kernel;
    ++in_kernel_;
    const uint64_t tag = tag_of(op);
    const bool waits_first = (flags & by_poll) != 0;
    queue_entry([&] {
        if (waits_first) return ring_.poll(op->fd, readiness_of(op), tag);
        switch (op->kind) {
        case XTC_OP_POLL:
            return ring_.poll(op->fd, readiness_of(op), tag);
        case XTC_OP_RECV:
            return ring_.recv(op->fd, op->buf, op->len, tag);
        case XTC_OP_SEND:
            return ring_.send(op->fd, op->buf, op->len, tag);
        case XTC_OP_ACCEPT:
            return ring_.accept(op->fd, tag);
        case XTC_OP_CONNECT:
            return ring_.connect(op->fd, op->buf, op->len, tag);
        }
        XTC_UNREACHABLE();
    });
    constexpr uint64_t flag_bits = (uint64_t{1} << epoch_shift) - 1;
    flags = (flags & flag_bits) | uint64_t{ring_.entered()} << epoch_shift;
}

// The kernel answers at the hand-over what is ready then, and what it cannot wait for, such as a regular
// file: that is "ready" always. Whatever it has not answered by the time all answers of that enter were taken
// out is something to wait for; only of the others the kind must be asked (L20), at a system call each.
bool UringDriver::was_waited_for(const xtc_op_t* op) const noexcept {
    const auto before = static_cast<uint32_t>(op->priv[0] >> epoch_shift);
    return static_cast<int32_t>(drained_at_ - before) > 0;
}

// Only when about to sleep, and only if the wait of an earlier sleep is not still there.
void UringDriver::listen_in_ring() noexcept {
    if (bell_armed_) return;
    bell_armed_ = true;
    queue_entry([this] {
        return bell_by_futex_ ? ring_.futex_wait(bell_.word(), bell_.heard(), bell_tag)
                              : ring_.poll(bell_.eventfd(), POLLIN, bell_tag);
    });
}

void UringDriver::nap(int64_t until) noexcept {
    const int64_t left = until == XTC_UNTIL_NEVER ? Ring::for_ever : until - monotonic_now();
    const bool ring_is_needed = ring_.is_open() && (in_kernel_ != 0 || side_armed_ || ring_.has_queued());
    if (left <= 0) {
        if (ring_is_needed) enter();
    } else if (!ring_is_needed) {
        if (bell_.listen(Doorbell::Ear::futex)) bell_.sleep(until);
    } else {
        listen_in_ring();
        const bool may_sleep = bell_.listen(bell_by_futex_ ? Doorbell::Ear::futex : Doorbell::Ear::eventfd);
        ring_.enter(may_sleep ? 1 : 0, left);
    }
    bell_.stop_listening();
    bell_.take();
}

// A host sleeps on the eventfd, to which the ring and the bell both write: leave it readable only if there is
// something to find.
void UringDriver::leave_to_host() noexcept {
    if (done_.empty()) {
        bell_.drain();
        if (ring_.is_open()) {
            if (ring_.wants_enter()) enter();
            reap();
        }
    }
    // What was rung until now is answered by this wait's return.
    while (!bell_.listen(Doorbell::Ear::eventfd)) bell_.take();
    if (is_more_to_find()) bell_.announce();
}

bool UringDriver::is_more_to_find() const noexcept {
    if (refused_ != 0) return side_ != nullptr && side_->has_finished();
    return has_loose_ends() ||
           (ring_.is_open() && (ring_.has_queued() || ring_.wants_enter() || ring_.has_completion()));
}

xtc_op_t* UringDriver::wait_without_ring(int64_t until) noexcept {
    if (side_ != nullptr) {
        done_.append_all(side_->wait(done_.empty() ? until : XTC_UNTIL_POLL));
    } else if (!bell_.take() && until != XTC_UNTIL_POLL && done_.empty()) {
        if (bell_.listen(Doorbell::Ear::futex)) bell_.sleep(until);
        bell_.stop_listening();
        bell_.take();
    }
    if (side_ == nullptr && host_set_ >= 0) leave_to_host();
    return done_.take_all();
}

// --- out of the kernel ---

void UringDriver::reap() noexcept {
    Ring::Completion batch[64];
    // The kernel hands out a few dozen at each enter; what is over is the next wait's.
    for (int round = 0;; ++round) {
        while (const unsigned n = ring_.take(batch, std::size(batch)))
            for (unsigned i = 0; i < n; ++i) take_completion(batch[i]);
        if (!ring_.wants_enter()) {
            drained_at_ = ring_.entered();
            break;
        }
        if (round == 256) break;
        ring_.enter(0, 0);
    }
}

void UringDriver::take_completion(const Ring::Completion& completion) noexcept {
    const int result = completion.result;
    switch (completion.tag) {
    case ignored_tag:
        return;
    case bell_tag:
        bell_armed_ = false;
        if (!bell_by_futex_)
            bell_.drain();
        else if (result < 0 && result != -EAGAIN && result != -ECANCELED && result != -EINTR) {
            bell_by_futex_ = bell_.eventfd() < 0; // without either, waits do not sleep
        }
        return;
    case side_tag:
        side_armed_ = false;
        done_.append_all(side_->collect());
        return;
    default:
        break;
    }
    xtc_op_t* op = op_of(completion.tag);
    if ((completion.tag & cancel_bit) != 0) return take_cancel_answer(op, result);
    XTC_ASSERT((op->priv[0] & in_kernel) != 0);
    op->priv[0] &= ~in_kernel;
    --in_kernel_;
    op->res = result;
    if (op->kind == XTC_OP_POLL && result > 0 && !was_waited_for(op)) op->priv[0] |= at_once;
    if ((op->priv[0] & (cancel_queued | cancel_sent)) == 0) settle(op);
}

void UringDriver::take_cancel_answer(xtc_op_t* op, int result) noexcept {
    --unanswered_;
    op->priv[0] &= ~cancel_sent;
    if ((op->priv[0] & in_kernel) == 0)
        settle(op);
    else if (result < 0)
        ask_back(op);
}

// The kernel has given op back and owes no answer about it: it is done, or goes in again.
void UringDriver::settle(xtc_op_t* op) noexcept {
    uint64_t& flags = op->priv[0];
    int64_t result = op->res;
    bool is_done = result != -ECANCELED && result != -EINTR;
    if (is_done && (op->kind == XTC_OP_POLL || (flags & by_poll) != 0)) {
        if ((flags & at_once) != 0) {
            flags &= ~at_once;
            if (const int refused = check_pollable(op->fd); refused != 0) return finish(op, refused);
        }
        if (result > 0) result &= readiness_of(op) | trouble;
        if (result == 0) {
            if ((flags & (aborted | cancelled)) == 0) {
                in_flight_.find(op->fd)->remove(op);
                if (!make_side()) return fail(op, -ENOMEM);
                return move_to_side(op);
            }
            is_done = false;
        } else if (result > 0 && op->kind != XTC_OP_POLL) {
            is_done = perform_now(op, true);
            result = op->res;
        }
    } else if (op->kind == XTC_OP_CONNECT ? result == -EALREADY : result == -EAGAIN) {
        flags |= by_poll;
        is_done = false;
    }
    if (is_done) return finish(op, result);
    if ((flags & aborted) != 0) return finish(op, -ECONNABORTED);
    if ((flags & cancelled) != 0) return finish(op, -ECANCELED);
    flags &= ~recalled;
    note(op);
}

const xtc_seam_driver_t UringDriver::table = {
    sizeof(xtc_seam_driver_t),
    "uring",
    [](void*) { return monotonic_now(); },
    [](void* self, xtc_op_t* op) {
        const int is_done = try_op(op);
        if (is_done == 0) static_cast<UringDriver*>(self)->remember_try(op);
        return is_done;
    },
    [](void* self, xtc_op_t* op) { static_cast<UringDriver*>(self)->submit(op); },
    [](void* self, xtc_op_t* op) { static_cast<UringDriver*>(self)->cancel(op); },
    [](void* self, int64_t until) { return static_cast<UringDriver*>(self)->wait(until); },
    [](void* self) { static_cast<UringDriver*>(self)->wake(); },
    [](void* self, int fd) { static_cast<UringDriver*>(self)->abort_fd(fd); },
    [](void* self, int fd) {
        static_cast<UringDriver*>(self)->abort_fd(fd);
        ::close(fd);
    },
    [](void* self) { static_cast<UringDriver*>(self)->suspend(); },
    [](void* self) { return static_cast<UringDriver*>(self)->pollfd(); },
    [](void* self) {
        auto* driver = static_cast<UringDriver*>(self);
        if (driver->made_by_ != ::getpid()) driver->abandon();
        delete driver;
    },
};

} // namespace xtc
