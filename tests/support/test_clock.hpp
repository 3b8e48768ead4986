// SPDX-License-Identifier: ISC
// A loop whose time stands still until the test moves it. No descriptors, no sleep: the test takes the turns.
#pragma once

#include <catch2/catch.hpp>

#include "seam/loop.h"

namespace xtc::test {

class TestClock {
public:
    int64_t now = 1'000'000;

    void lend_to(xtc_loop_t* loop) {
        xtc_seam_parts_t parts{};
        parts.size = sizeof parts;
        parts.driver = &table();
        parts.driver_self = this;
        REQUIRE(xtc_seam_loop_attach(loop, &parts) == XTC_OK);
    }

private:
    static const xtc_seam_driver_t& table() {
        static const xtc_seam_driver_t t = {
            sizeof t,
            "test",
            [](void* self) { return static_cast<TestClock*>(self)->now; },
            [](void*, xtc_op_t*) { return 0; },
            [](void*, xtc_op_t*) {},
            [](void*, xtc_op_t*) {},
            [](void*, int64_t) -> xtc_op_t* { return nullptr; },
            [](void*) {},
            [](void*, int) {},
            [](void*, int) {},
            [](void*) {},
            [](void*) { return -1; },
            [](void*) {},
        };
        return t;
    }
};

} // namespace xtc::test
