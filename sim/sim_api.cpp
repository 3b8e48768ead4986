// SPDX-License-Identifier: ISC
#include "xtc_sim.h"

#include <new>
#include <poll.h>

#include "streams.hpp"
#include "virtual_fd.hpp"
#include "world.hpp"

using xtc::sim::Stream;
using xtc::sim::VirtualFds;
using xtc::sim::World;

static_assert(XTC_SIM_RNG_SCHED == static_cast<int>(Stream::sched));
static_assert(XTC_SIM_RNG_IO == static_cast<int>(Stream::io));
static_assert(XTC_SIM_RNG_FAULT == static_cast<int>(Stream::fault));
static_assert(XTC_SIM_RNG_APP == static_cast<int>(Stream::app));
static_assert(XTC_SIM_RNG_BUGGIFY == static_cast<int>(Stream::buggify));

namespace {

constexpr uint32_t known_bits = XTC_IO_READABLE | XTC_IO_WRITABLE | XTC_IO_HUP | XTC_IO_ERR;

uint32_t poll_bits(uint32_t io_bits) {
    uint32_t bits = 0;
    if ((io_bits & XTC_IO_READABLE) != 0) bits |= POLLIN;
    if ((io_bits & XTC_IO_WRITABLE) != 0) bits |= POLLOUT;
    if ((io_bits & XTC_IO_HUP) != 0) bits |= POLLHUP;
    if ((io_bits & XTC_IO_ERR) != 0) bits |= POLLERR;
    return bits;
}

// No exception crosses the C ABI, and the only one this library can meet is a failed allocation.
template <typename Body> int guarded(Body body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return XTC_E_NOMEM;
    }
}

} // namespace

extern "C" {

int xtc_sim_exec_run(xtc_exec_t* exec, uint64_t seed, long max_steps) {
    if (exec == nullptr) return XTC_E_INVAL;
    return guarded([&]() -> int {
        World* const world = World::of(exec);
        return world == nullptr ? XTC_E_INVAL : world->run(seed, max_steps);
    });
}

int xtc_sim_check(xtc_exec_t* exec) {
    const World* const world = World::find(exec);
    return world == nullptr ? XTC_E_INVAL : world->check();
}

uint64_t xtc_sim_state_hash(xtc_exec_t* exec) {
    const World* const world = World::find(exec);
    return world == nullptr ? 0 : world->state_hash();
}

uint64_t xtc_sim_trace_hash(xtc_exec_t* exec) {
    const World* const world = World::find(exec);
    return world == nullptr ? 0 : world->trace.hash();
}

int xtc_sim_rand(xtc_exec_t* exec, enum xtc_sim_stream stream, uint64_t bound, uint64_t* out) {
    World* const world = World::find(exec);
    if (world == nullptr || out == nullptr || stream < 0 || stream >= XTC_SIM_RNG_NSTREAMS)
        return XTC_E_INVAL;
    if (bound == 0) return XTC_E_RANGE;
    *out = world->streams[static_cast<Stream>(stream)].below(bound);
    return XTC_OK;
}

int xtc_sim_fd_create(xtc_exec_t* exec, int* out) {
    if (exec == nullptr || out == nullptr) return XTC_E_INVAL;
    return guarded([&]() -> int {
        World* const world = World::of(exec);
        if (world == nullptr) return XTC_E_INVAL;
        *out = world->fds.create_signal();
        return XTC_OK;
    });
}

int xtc_sim_fd_signal(int fd, uint32_t revents, int64_t delay_ns) {
    VirtualFds* const owner = VirtualFds::owner_of(fd);
    if (owner == nullptr || revents == 0 || (revents & ~known_bits) != 0 || delay_ns < 0) return XTC_E_INVAL;
    return guarded([&] { return owner->show(fd, poll_bits(revents), delay_ns) ? XTC_OK : XTC_E_INVAL; });
}

int xtc_sim_fd_clear(int fd, uint32_t revents) {
    VirtualFds* const owner = VirtualFds::owner_of(fd);
    if (owner == nullptr || (revents & ~known_bits) != 0) return XTC_E_INVAL;
    return owner->clear(fd, poll_bits(revents)) ? XTC_OK : XTC_E_INVAL;
}

int xtc_sim_fd_close(int fd) {
    VirtualFds* const owner = VirtualFds::owner_of(fd);
    if (owner == nullptr) return XTC_E_INVAL;
    return guarded([&] { return owner->close(fd) ? XTC_OK : XTC_E_INVAL; });
}

int xtc_sim_socketpair(xtc_exec_t* exec, int out[2]) {
    if (exec == nullptr || out == nullptr) return XTC_E_INVAL;
    return guarded([&]() -> int {
        World* const world = World::of(exec);
        if (world == nullptr) return XTC_E_INVAL;
        const auto [a, b] = world->fds.create_pair();
        out[0] = a;
        out[1] = b;
        return XTC_OK;
    });
}
}
