// SPDX-License-Identifier: ISC
#include "nrt/write.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace xtc::nrt {

namespace {

// The kernel sends SIGPIPE to the thread that writes: held back meanwhile, and taken if the write raised it.
class NoPipeSignal {
public:
    NoPipeSignal() noexcept {
        ::sigemptyset(&pipe_);
        ::sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
        ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~NoPipeSignal() {
        const int kept = errno;
        if (was_raised_ && !was_pending_) {
            const timespec at_once{};
            while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
            }
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = kept;
    }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;
    void is_raised() noexcept { was_raised_ = true; }

private:
    sigset_t pipe_;
    sigset_t before_;
    bool was_pending_ = false;
    bool was_raised_ = false;
};

} // namespace

bool write_all(int fd, const char* bytes, size_t size) noexcept {
    NoPipeSignal no_signal;
    while (size > 0) {
        const ssize_t written = ::write(fd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            if (errno == EPIPE) no_signal.is_raised();
            return false;
        }
        bytes += written;
        size -= static_cast<size_t>(written);
    }
    return true;
}

} // namespace xtc::nrt
