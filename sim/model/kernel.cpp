// SPDX-License-Identifier: ISC
// The system calls of a model: futexes and eventfds. The linker's --wrap brings them here; outside a model,
// and for other descriptors, they go on to the C library.
#include "execution.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/types.h>

using xtc::model::Execution;

namespace {

using namespace xtc::model;

constexpr int first_fd = 1 << 29; // plus the location that holds the count

Execution* at_work() {
    Execution* x = Execution::current();
    return x != nullptr && x->is_user() ? x : nullptr;
}

uint64_t step(Execution& x, OpKind kind, int location, uint64_t operand, uint64_t expected = 0) {
    Op op;
    op.kind = kind;
    op.order = Order::acq_rel;
    op.location = location;
    op.operand = operand;
    op.expected = expected;
    op.site.function = "kernel";
    bool wrote = false;
    return x.perform(op, &wrote);
}

int location_of(const Execution* x, int fd) {
    return x != nullptr && fd >= first_fd ? fd - first_fd : -1;
}

} // namespace

void xtc::model::wait_readable(int eventfd) {
    Execution& x = *at_work();
    const int location = location_of(&x, eventfd);
    while (step(x, OpKind::load, location, 0) == 0) step(x, OpKind::futex_wait, location, 0);
}

extern "C" {

long __real_syscall(long number, ...);
int __real_eventfd(unsigned count, int flags);
ssize_t __real_read(int fd, void* into, size_t size);
ssize_t __real_write(int fd, const void* from, size_t size);
int __real_close(int fd);

long __wrap_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long args[6];
    for (long& a : args) a = va_arg(list, long);
    va_end(list);
    Execution* x = at_work();
    if (number != SYS_futex || x == nullptr)
        return __real_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);

    x->set_user(false);
    const int location = x->graph().find_location(reinterpret_cast<const void*>(args[0]));
    if (location < 0) x->fail_here("a futex on something that is no atomic");
    const auto value = static_cast<uint32_t>(args[2]);
    switch (args[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return static_cast<long>(step(*x, OpKind::futex_wake, location, value));
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        break;
    default:
        x->fail_here("an unknown futex call");
    }
    const uint64_t answer = step(*x, OpKind::futex_wait, location, args[3] != 0 ? 1 : 0, value);
    if (answer == futex_woken) return 0;
    errno = answer == futex_timed_out ? ETIMEDOUT : EAGAIN;
    return -1;
}

int __wrap_eventfd(unsigned count, int flags) {
    Execution* x = at_work();
    if (x == nullptr) return __real_eventfd(count, flags);
    x->set_user(false);
    const int location = x->graph().add_location(nullptr, count, x->running());
    x->set_user(true);
    return first_fd + location;
}

ssize_t __wrap_write(int fd, const void* from, size_t size) {
    Execution* x = at_work();
    const int location = location_of(x, fd);
    if (location < 0) return __real_write(fd, from, size);
    uint64_t n = 0;
    std::memcpy(&n, from, sizeof(n));
    step(*x, OpKind::add, location, n);
    step(*x, OpKind::futex_wake, location, UINT32_MAX);
    return sizeof(n);
}

ssize_t __wrap_read(int fd, void* into, size_t size) {
    Execution* x = at_work();
    const int location = location_of(x, fd);
    if (location < 0) return __real_read(fd, into, size);
    const uint64_t n = step(*x, OpKind::exchange, location, 0);
    std::memcpy(into, &n, sizeof(n));
    if (n != 0) return sizeof(n);
    errno = EAGAIN;
    return -1;
}

int __wrap_close(int fd) {
    return location_of(at_work(), fd) < 0 ? __real_close(fd) : 0;
}

} // extern "C"
