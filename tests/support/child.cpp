// SPDX-License-Identifier: ISC
#include "support/child.hpp"

#include <cstdlib>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

ChildEnd run_in_child(void (*body)()) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t child = ::fork();
    if (child < 0) std::abort();
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        body();
        ::_exit(0);
    }
    ::close(ends[1]);
    ChildEnd end;
    char buffer[512];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
        end.stderr_text.append(buffer, static_cast<size_t>(got));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    end.exited = WIFEXITED(status);
    if (end.exited) end.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end.signal_number = WTERMSIG(status);
    return end;
}

} // namespace test
