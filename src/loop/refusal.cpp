// SPDX-License-Identifier: ISC
#include "loop/refusal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace xtc {

namespace {

struct Reason {
    int error;
    const char* cause;
    const char* remedy;
};

constexpr Reason reasons[] = {
    {EPERM, "a seccomp filter or the sysctl kernel.io_uring_disabled forbids it",
     "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile"},
    {EACCES, "a security module forbids it", "allow io_uring in the policy of the security module"},
    {ENOSYS, "this kernel is built without it, or a seccomp filter hides it",
     "run on a kernel with CONFIG_IO_URING, or allow io_uring_setup, io_uring_enter and io_uring_register in "
     "the "
     "container's seccomp profile"},
    {EOPNOTSUPP, "this sandbox does not support it",
     "run outside the sandbox, or in one that supports io_uring"},
    {EINVAL, "this kernel's io_uring lacks what libxtc needs",
     "run on Linux 5.11 or newer, best 6.7 or newer"},
    {ENOMEM, "the limit on locked memory is too low, or memory is short",
     "raise RLIMIT_MEMLOCK (ulimit -l), which kernels before 5.12 charge for rings"},
    {EMFILE, "this process has no file descriptors left", "raise RLIMIT_NOFILE (ulimit -n)"},
};

const Reason& reason_of(int error) {
    static constexpr Reason unknown{0, "the kernel refuses it", "look at the kernel's log for the reason"};
    for (const Reason& reason : reasons)
        if (reason.error == -error) return reason;
    return unknown;
}

// 0, 1 or 2; -1: this kernel has no such setting.
int read_sysctl() {
    const int fd = ::open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    char digit = 0;
    const ssize_t n = ::read(fd, &digit, 1);
    ::close(fd);
    return n == 1 && digit >= '0' && digit <= '2' ? digit - '0' : -1;
}

} // namespace

void tell_refusal(const Teller& tell, int error, bool falls_back) noexcept {
    Reason reason = reason_of(error);
    const int sysctl = error == -EPERM ? read_sysctl() : -1;
    if (sysctl > 0) {
        reason.cause =
            sysctl == 1
                ? "the sysctl kernel.io_uring_disabled is 1 and this process is not in kernel.io_uring_group"
                : "the sysctl kernel.io_uring_disabled is 2";
        reason.remedy = "set kernel.io_uring_disabled to 0";
    }
    const char* name = ::strerrorname_np(-error);
    char sentence[512];
    std::snprintf(sentence, sizeof(sentence), "%s io_uring is refused with %s: %s. To use io_uring, %s%s.",
                  falls_back ? "Loops wait with epoll:" : "XTC_IO_BACKEND=uring cannot be had:",
                  name != nullptr ? name : "an unknown error", reason.cause, reason.remedy,
                  falls_back ? "" : "; XTC_IO_BACKEND=auto takes epoll meanwhile");
    tell(sentence);
}

} // namespace xtc
