// SPDX-License-Identifier: ISC
// What runs out is a status, and nothing is stuck.
#include "nrt/client/packages.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_async.h>

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace client;

namespace {

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

} // namespace

TEST_CASE("fresh: no stack for a worker", "[.]") {
    const Runtime runtime;
    CHECK(xtc_set_stack_size(size_t{1} << 30) == XTC_OK);
    const Unary tensors;
    const Model model(builtin("copy"));
    for (int i = 0; i < 3; ++i) {
        const LittleRoom room(rlim_t{256} << 20);
        CHECK(tensors.run(model) == NRT_RESOURCE);
    }
    CHECK(tensors.run_on(model, "sixteen bytes!!!") == "sixteen bytes!!!");
}

// The process of a core was spawned from outside its loop and ended there before it began; its queue waited.
TEST_CASE("A worker that gets no stack fails its request, and the next request tries again",
          "[nrt][execute]") {
    CHECK(run_fresh("fresh: no stack for a worker") == 0);
}
