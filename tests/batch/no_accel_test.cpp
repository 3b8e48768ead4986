// SPDX-License-Identifier: ISC
//
// The engine as a build without accelerator support has it: token.cpp of this program was compiled so.
#include "batch/story.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

using story::Story;

TEST_CASE("without accelerator support a fence is an error of its own, and the other tokens work") {
    Story s;
    int kind = XTC_BATCH_EXEC_FENCE;
    const int fence = ::eventfd(1, EFD_CLOEXEC); // it would fire at once
    s.on_submit = [&](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
        exec->kind = kind;
        exec->fence_fd = fence;
        exec->run = [](void*) { return 0; };
        if (kind != XTC_BATCH_EXEC_FUTURE) return 0;
        xtc_promise_t* promise = nullptr;
        CHECK(xtc_future_new_pair(&promise, &exec->future) == XTC_OK);
        CHECK(xtc_promise_set(promise, 0, XTC_OK) == XTC_OK);
        return 0;
    };
    s.make_async();
    uint64_t handle = 0;
    for (const int each :
         {XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_SYNC, XTC_BATCH_EXEC_FUTURE, XTC_BATCH_EXEC_BLOCKING}) {
        kind = each;
        s.start([&] { handle = s.put(); });
        CHECK(s.until([&] { return handle != 0 && s.ended(handle); }));
        const int expected = each == XTC_BATCH_EXEC_FENCE ? static_cast<int>(XTC_E_NOSYS) : 0;
        CHECK(s.collects.back().second == expected);
        CHECK(s.outcome_of(handle) == expected);
        handle = 0;
    }
    CHECK(s.async_stats().offload_errors == 1);
    s.end();
    ::close(fence);
}
