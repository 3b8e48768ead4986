// SPDX-License-Identifier: ISC
// What runs out is a status, and nothing is stuck.
#include "nrt/client/packages.hpp"
#include "support/little_room.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_async.h>

using namespace client;
using xtc::test::LittleRoom;

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
