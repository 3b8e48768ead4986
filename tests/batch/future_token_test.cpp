// SPDX-License-Identifier: ISC
//
// Futures as tokens, counted where they are deleted: a sanitizer sees a second use of one, a release build
// does not.
#include "batch/allocations.hpp"
#include "batch/story.hpp"

#include "sync/future.hpp"

#include <xtc_future.h>

using namespace story;

namespace {

enum class Fate { set, dropped, set_before, late };

} // namespace

// "the engine takes responsibility for consuming it exactly once, via the normal wait on completion or by
// discarding it on timeout or teardown"
TEST_CASE(
    "batch: a future is used up exactly once, whether it comes in time, early, too late or is dropped") {
    constexpr size_t rounds = 8;
    for (const Fate fate : {Fate::set, Fate::dropped, Fate::set_before, Fate::late}) {
        Story s;
        Limits limits;
        limits.timeout_ns = fate == Fate::late ? 1 : 0;
        s.make_async(limits);
        xtc_promise_t* promise = nullptr;
        s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            exec->kind = XTC_BATCH_EXEC_FUTURE;
            CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
            if (fate == Fate::set_before) CHECK(xtc_promise_set(promise, 0, XTC_OK) == XTC_OK);
            return 0;
        };
        allocations::keep_deleted(sizeof(xtc::FutureCell));
        for (size_t i = 0; i < rounds; ++i) {
            uint64_t h = 0;
            if (i == 0)
                h = s.put();
            else
                s.on_loop([&] { h = s.put(); });
            s.settle();
            if (fate == Fate::set) CHECK(xtc_promise_set(promise, 0, XTC_OK) == XTC_OK);
            if (fate == Fate::dropped) xtc_promise_drop(promise);
            CHECK(s.until([&] { return s.ended(h); }));
            if (fate == Fate::late) CHECK(xtc_promise_set(promise, 0, XTC_OK) == XTC_OK);
        }
        size_t written = 0;
        CHECK(allocations::release_kept(&written) >= rounds); // others may be of that size
        CHECK(written == 0);
    }
}
