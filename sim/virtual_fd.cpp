// SPDX-License-Identifier: ISC
#include "virtual_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <poll.h>

#include "base/assert.hpp"

namespace xtc::sim {

namespace {

// Every open virtual number of the process.
struct Numbers {
    std::mutex lock;
    std::map<int, VirtualFds*> owner;
};

Numbers& numbers() {
    static auto* const table = new Numbers; // outlives whatever runs at exit
    return *table;
}

int take_lowest_free(VirtualFds* owner) {
    const std::lock_guard hold(numbers().lock);
    int number = VirtualFds::first_number;
    for (const auto& [used, its_owner] : numbers().owner) {
        if (used != number) break;
        number++;
    }
    numbers().owner.emplace(number, owner);
    return number;
}

void give_back(int number) {
    const std::lock_guard hold(numbers().lock);
    numbers().owner.erase(number);
}

} // namespace

VirtualFds::VirtualFds(Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs)
    : timeline_(timeline), streams_(streams), trace_(trace), knobs_(knobs) {}

VirtualFds::~VirtualFds() {
    for (const auto& [number, fd] : open_) give_back(number);
}

VirtualFds* VirtualFds::owner_of(int number) {
    const std::lock_guard hold(numbers().lock);
    const auto found = numbers().owner.find(number);
    return found == numbers().owner.end() ? nullptr : found->second;
}

std::shared_ptr<VirtualFd> VirtualFds::open(VirtualFd::Kind kind) {
    auto fd = std::make_shared<VirtualFd>();
    fd->kind = kind;
    fd->ordinal = ++last_ordinal_;
    fd->number = take_lowest_free(this);
    open_.emplace(fd->number, fd);
    return fd;
}

int VirtualFds::create_signal() {
    return open(VirtualFd::Kind::signal)->number;
}

std::pair<int, int> VirtualFds::create_pair(size_t capacity) {
    const auto a = open(VirtualFd::Kind::stream), b = open(VirtualFd::Kind::stream);
    a->capacity = b->capacity = capacity;
    a->peer = b;
    b->peer = a;
    return {a->number, b->number};
}

std::shared_ptr<VirtualFd> VirtualFds::find(int number) const {
    const auto found = open_.find(number);
    return found == open_.end() ? nullptr : found->second;
}

bool VirtualFds::show(int number, uint32_t bits, int64_t delay) {
    const auto fd = find(number);
    if (!fd || fd->kind != VirtualFd::Kind::signal) return false;
    const auto raise = [this, fd, bits] {
        if (fd->number < 0) return; // closed meanwhile
        trace_.note(timeline_.now(), Trace::no_loop, static_cast<uint32_t>(Mark::fd_signal), fd->ordinal,
                    bits);
        fd->bits |= bits;
        touch(fd);
    };
    if (delay <= 0) {
        raise();
    } else {
        timeline_.at(
            delay > Timeline::never - timeline_.now() ? Timeline::never - 1 : timeline_.now() + delay, raise);
    }
    return true;
}

bool VirtualFds::clear(int number, uint32_t bits) {
    const auto fd = find(number);
    if (!fd || fd->kind != VirtualFd::Kind::signal) return false;
    fd->bits &= ~bits;
    return true;
}

bool VirtualFds::close(int number) {
    const auto fd = find(number);
    if (!fd) return false;
    give_back(number);
    open_.erase(number);
    fd->number = -1;
    if (const auto peer = fd->peer.lock(); peer && peer->number >= 0) {
        timeline_.at(arrival_time(*peer), [this, peer] {
            peer->hung_up = true;
            touch(peer);
        });
        fd->peer.reset();
        peer->peer.reset();
        touch(peer); // a send that waits for room will never get it
    }
    return true;
}

uint32_t VirtualFds::readiness(const VirtualFd& fd) const {
    if (fd.kind == VirtualFd::Kind::signal) return fd.bits;
    uint32_t bits = 0;
    if (!fd.in.empty() || fd.hung_up) bits |= POLLIN;
    if (fd.hung_up) bits |= POLLHUP | POLLRDHUP;
    const auto peer = fd.peer.lock();
    if (!peer || peer->in.size() + peer->flying < peer->capacity) bits |= POLLOUT;
    return bits;
}

size_t VirtualFds::short_of(size_t n) {
    if (n <= 1 || !streams_[Stream::io].chance(knobs_.short_io)) return n;
    return 1 + streams_[Stream::io].below(n - 1);
}

int64_t VirtualFds::arrival_time(VirtualFd& fd) {
    const int64_t latency = streams_[Stream::io].magnitude(knobs_.io_latency.lo, knobs_.io_latency.hi);
    fd.last_arrival = std::max(fd.last_arrival, timeline_.now() + latency); // bytes never overtake
    return fd.last_arrival;
}

int64_t VirtualFds::receive(const std::shared_ptr<VirtualFd>& fd, xtc_op_t& op) {
    const size_t n = short_of(std::min(op.len, fd->in.size()));
    std::copy_n(fd->in.begin(), n, static_cast<unsigned char*>(op.buf));
    fd->in.erase(fd->in.begin(), fd->in.begin() + static_cast<std::ptrdiff_t>(n));
    if (const auto peer = fd->peer.lock()) touch(peer); // room for who sends
    return static_cast<int64_t>(n);
}

int64_t VirtualFds::send(VirtualFd& peer, std::shared_ptr<VirtualFd> to, const xtc_op_t& op) {
    const size_t n = short_of(std::min(op.len, peer.capacity - peer.in.size() - peer.flying));
    const auto* const bytes = static_cast<const unsigned char*>(op.buf);
    peer.flying += n;
    timeline_.at(arrival_time(peer), [this, to, sent = std::vector<unsigned char>(bytes, bytes + n)] {
        to->flying -= sent.size();
        to->in.insert(to->in.end(), sent.begin(), sent.end());
        touch(to);
    });
    return static_cast<int64_t>(n);
}

std::optional<int64_t> VirtualFds::attempt(const std::shared_ptr<VirtualFd>& fd, xtc_op_t& op) {
    const bool stream = fd->kind == VirtualFd::Kind::stream;
    switch (op.kind) {
    case XTC_OP_POLL: {
        const uint32_t found = readiness(*fd) & (op.events | POLLERR | POLLHUP | POLLNVAL);
        if (found == 0) return std::nullopt;
        return found;
    }
    case XTC_OP_RECV:
        if (!stream) return -ENOTSOCK;
        if (fd->in.empty() && !fd->hung_up && op.len > 0) return std::nullopt;
        if (streams_[Stream::io].chance(knobs_.io_error)) return -ECONNRESET;
        return receive(fd, op);
    case XTC_OP_SEND: {
        if (!stream) return -ENOTSOCK;
        const auto peer = fd->peer.lock();
        if (!peer) return -EPIPE;
        if (op.len == 0) return 0;
        if (peer->in.size() + peer->flying >= peer->capacity) return std::nullopt;
        if (streams_[Stream::io].chance(knobs_.io_error)) return -ECONNRESET;
        return send(*peer, peer, op);
    }
    case XTC_OP_ACCEPT:
        return stream ? -EINVAL : -ENOTSOCK; // nothing virtual listens
    case XTC_OP_CONNECT:
        return stream ? -EISCONN : -ENOTSOCK;
    }
    return -EINVAL;
}

bool VirtualFds::forget(VirtualFd& fd, const xtc_op_t& op) {
    return std::erase_if(fd.waiters, [&op](const VirtualFd::Waiter& w) { return w.op == &op; }) > 0;
}

void VirtualFds::abort(int number) {
    const auto fd = find(number);
    if (!fd) return;
    const std::vector<VirtualFd::Waiter> waiters = std::exchange(fd->waiters, {});
    for (const VirtualFd::Waiter& waiter : waiters) waiter.sink->arrived(*waiter.op, -ECONNABORTED);
}

void VirtualFds::touch(std::shared_ptr<VirtualFd> fd) {
    touched_.push_back(std::move(fd));
    if (settling_) return; // serving one can touch its peer
    settling_ = true;
    while (!touched_.empty()) {
        const std::shared_ptr<VirtualFd> next = std::move(touched_.front());
        touched_.pop_front();
        for (size_t i = 0; i < next->waiters.size();) {
            const VirtualFd::Waiter waiter = next->waiters[i];
            const std::optional<int64_t> res = attempt(next, *waiter.op);
            if (!res) {
                i++;
                continue;
            }
            next->waiters.erase(next->waiters.begin() + static_cast<std::ptrdiff_t>(i));
            waiter.sink->arrived(*waiter.op, *res);
        }
    }
    settling_ = false;
}

} // namespace xtc::sim
