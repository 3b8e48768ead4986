// SPDX-License-Identifier: ISC
#include "loop/doorbell.hpp"

#include "seam/driver.h"

#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xtc {

Doorbell::~Doorbell() {
    if (eventfd_ >= 0) ::close(eventfd_);
}

void Doorbell::ring() noexcept {
    const uint32_t mine = count_.fetch_add(1, std::memory_order_seq_cst) + 1;
    uint64_t listening = listening_.load(std::memory_order_seq_cst);
    const Ear ear = ear_of(listening);
    if (ear == Ear::none || has_heard(listening, mine)) return;
    // Not by exchange: that could take the word of the next sleep, for which the wake below comes too early.
    if (!listening_.compare_exchange_strong(listening, not_listening, std::memory_order_seq_cst)) return;
    if (ear == Ear::eventfd) return announce();
    // All: the owner may sleep in the word itself while a wait of its ring is queued on it as well.
    ::syscall(SYS_futex, &count_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::announce() noexcept {
    written_.fetch_add(1, std::memory_order_relaxed);
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(eventfd_, &one, sizeof(one));
}

void Doorbell::sleep(int64_t until) noexcept {
    timespec at{};
    const bool limited = until != XTC_UNTIL_NEVER;
    if (limited) at = {static_cast<time_t>(until / 1'000'000'000), static_cast<long>(until % 1'000'000'000)};
    ::syscall(SYS_futex, &count_, FUTEX_WAIT_BITSET_PRIVATE, heard_, limited ? &at : nullptr, nullptr,
              FUTEX_BITSET_MATCH_ANY);
}

int Doorbell::eventfd() noexcept {
    if (eventfd_ < 0) eventfd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return eventfd_ >= 0 ? eventfd_ : -errno;
}

void Doorbell::drain() noexcept {
    uint64_t writes = 0;
    if (eventfd_ >= 0 && ::read(eventfd_, &writes, sizeof(writes)) == sizeof(writes)) {
        drained_ += static_cast<uint32_t>(writes);
    }
}

} // namespace xtc
