// SPDX-License-Identifier: ISC
#pragma once

#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace xtc::test {

// The address space is what is in use now and a little more.
class LittleRoom {
public:
    explicit LittleRoom(rlim_t room) {
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        ::getrlimit(RLIMIT_AS, &before_);
        const rlimit now{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + room, before_.rlim_max};
        CHECK(::setrlimit(RLIMIT_AS, &now) == 0);
    }
    ~LittleRoom() { ::setrlimit(RLIMIT_AS, &before_); }
    LittleRoom(const LittleRoom&) = delete;
    LittleRoom& operator=(const LittleRoom&) = delete;

private:
    rlimit before_{};
};

} // namespace xtc::test
