// SPDX-License-Identifier: ISC
// Keeps what this process writes to standard error, for the length of a test.
#pragma once

#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace test {

class StderrText {
public:
    StderrText() : before_(::dup(STDERR_FILENO)), file_(::memfd_create("stderr", MFD_CLOEXEC)) {
        ::dup2(file_, STDERR_FILENO);
    }
    ~StderrText() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        ::close(file_);
    }
    StderrText(const StderrText&) = delete;
    StderrText& operator=(const StderrText&) = delete;

    // What came since the last look.
    std::string take() {
        std::string text;
        char part[512];
        for (ssize_t got; (got = ::pread(file_, part, sizeof part, seen_)) > 0; seen_ += got)
            text.append(part, static_cast<size_t>(got));
        return text;
    }

private:
    const int before_;
    const int file_;
    off_t seen_ = 0;
};

} // namespace test
