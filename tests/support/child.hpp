// SPDX-License-Identifier: ISC
//
// Runs a function in a forked child and tells how it ended and what it wrote to stderr.
#pragma once

#include <string>

namespace test {

struct ChildEnd {
    bool exited = false;   // left by itself ...
    int exit_code = -1;    // ... with this code
    int signal_number = 0; // or was ended by this signal
    std::string stderr_text;
};

ChildEnd run_in_child(void (*body)());

} // namespace test
