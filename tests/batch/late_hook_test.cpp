// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

#include <xtc_future.h>
#include <xtc_proc.h>

using namespace story;

// "An exit hook flag or alive==0 is insufficient: other exit hooks may still be parked." One that is
// registered while the last requests are told of runs when the group's own hook is through.
TEST_CASE("batch: destroy waits for a hook that was registered while the driver's last ends were told") {
    Story s;
    s.make_sync();
    s.on_step = Story::everyone(XTC_BATCH_BLOCKED);
    const uint64_t h = s.put();
    static xtc_future_t* let_go;
    static bool hook_over;
    xtc_promise_t* letting_go = nullptr;
    hook_over = false;
    REQUIRE(xtc_future_new_pair(&letting_go, &let_go) == XTC_OK);
    s.on_complete = [](uint64_t, void*, int) {
        CHECK(xtc_proc_at_exit(
                  [](void*) {
                      CHECK(xtc_future_await(let_go, nullptr) == XTC_OK);
                      hook_over = true;
                  },
                  nullptr) == XTC_OK);
    };
    s.settle();
    s.on_loop([&] { CHECK(xtc_exit_pid(s.driver, 1) == XTC_OK); });
    REQUIRE(s.outcome_of(h) == XTC_E_INTERNAL);
    CHECK_FALSE(hook_over);
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
    CHECK(xtc_promise_set(letting_go, 0, XTC_OK) == XTC_OK);
    CHECK(s.until([&] { return hook_over; }));
    s.settle();
}
