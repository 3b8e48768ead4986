// SPDX-License-Identifier: ISC
//
// Every kind of token under everything that may become of its operation: what collect is told, how the
// members end, and that both happen once.
#include "batch/device.hpp"

#include <xtc_future.h>

#include <fcntl.h>
#include <unistd.h>

#include <set>

using story::Device;
using story::Handles;
using story::name_of_kind;
using story::Story;

namespace {

enum class Event {
    over_at_once,     // before the group begins to wait
    over_later,       // the normal case
    over_time,        // exec_timeout_ns first, the device never
    over_time_late,   // exec_timeout_ns first, the device after collect
    member_cancelled, // one of the two, then it is over
    cancel_closed,
    drain_closed, // changes nothing for what is under way
    killed,
    torn_down, // the driver leaves from a complete of somebody else
    refused,   // it can not be awaited
    failed,    // the device says so
};

struct Expected {
    Event event;
    int kind;
    int status;        // what collect is told; kNoCollect: nothing
    int first, second; // outcomes when collect says DONE, CONTINUE
    Handles hints;
};

constexpr int S = XTC_BATCH_EXEC_SYNC, F = XTC_BATCH_EXEC_FENCE, U = XTC_BATCH_EXEC_FUTURE,
              B = XTC_BATCH_EXEC_BLOCKING;
constexpr int kGoesOn = 1; // the second is in the next vector
constexpr int kOk = XTC_BATCH_EXEC_OK, kTimeout = XTC_BATCH_EXEC_TIMEOUT, kAborted = XTC_BATCH_EXEC_ABORTED;

const std::vector<Expected> kTable = {
    {Event::over_at_once, S, kOk, XTC_OK, kGoesOn, {}},
    {Event::over_at_once, F, kOk, XTC_OK, kGoesOn, {}},
    {Event::over_at_once, U, kOk, XTC_OK, kGoesOn, {}},
    {Event::over_later, F, kOk, XTC_OK, kGoesOn, {}},
    {Event::over_later, U, kOk, XTC_OK, kGoesOn, {}},
    {Event::over_later, B, kOk, XTC_OK, kGoesOn, {}},
    // the device may still own what the second has
    {Event::over_time, F, kTimeout, XTC_OK, XTC_E_AGAIN, {}},
    {Event::over_time, U, kTimeout, XTC_OK, XTC_E_AGAIN, {}},
    {Event::over_time, S, kOk, XTC_OK, kGoesOn, {}}, // there was nothing to wait for
    {Event::over_time, B, kOk, XTC_OK, kGoesOn, {}}, // a pool thread can not be interrupted
    {Event::over_time_late, F, kTimeout, XTC_OK, XTC_E_AGAIN, {}},
    {Event::over_time_late, U, kTimeout, XTC_OK, XTC_E_AGAIN, {}},
    {Event::member_cancelled, F, kOk, XTC_E_ABORTED, kGoesOn, {1}},
    {Event::member_cancelled, U, kOk, XTC_E_ABORTED, kGoesOn, {1}},
    {Event::member_cancelled, B, kOk, XTC_E_ABORTED, kGoesOn, {1}},
    {Event::cancel_closed, F, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::cancel_closed, U, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::cancel_closed, B, kOk, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}}, // it did come to its end
    {Event::drain_closed, F, kOk, XTC_OK, kGoesOn, {}},
    {Event::drain_closed, U, kOk, XTC_OK, kGoesOn, {}},
    {Event::drain_closed, B, kOk, XTC_OK, kGoesOn, {}},
    {Event::killed, F, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::killed, U, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::killed, B, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::torn_down, F, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::torn_down, U, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::torn_down, B, kAborted, XTC_E_ABORTED, XTC_E_ABORTED, {1, 2}},
    {Event::refused, F, XTC_E_INVAL, XTC_E_INVAL, XTC_E_INVAL, {}},
    {Event::refused, U, XTC_E_INVAL, XTC_E_INVAL, XTC_E_INVAL, {}},
    {Event::refused, B, XTC_E_RESOURCE, XTC_E_RESOURCE, XTC_E_RESOURCE, {}},
    {Event::failed, U, XTC_E_IO, XTC_E_IO, XTC_E_IO, {}},
    {Event::failed, F, XTC_E_INVAL, XTC_E_INVAL, XTC_E_INVAL, {}},
};

// Submits two, which are launched together, and lets the event come.
class Run {
public:
    Run(const Expected& expected) : expected_(expected), device_(expected.kind) {
        device_.run_in(s_);
        s_.on_submit = [this](const xtc_batch_item_t*, size_t n, xtc_batch_exec_t* exec) {
            if (s_.vectors.size() > 1) { // the next vector, for the one that goes on
                CHECK(n == 1);
                exec->kind = XTC_BATCH_EXEC_SYNC;
                return 0;
            }
            return launch(exec);
        };
        s_.on_collect = [this](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int) {
            results[0].state = XTC_BATCH_DONE;
            if (n == 2) results[1].state = XTC_BATCH_CONTINUE;
            if (device_.kind == XTC_BATCH_EXEC_FUTURE && device_.promise != nullptr)
                was_left_ = xtc_promise_abandoned(device_.promise) != 0;
            return 0;
        };
        s_.on_complete = [this](uint64_t handle, void*, int) {
            if (handle == 3 && expected_.event == Event::torn_down) xtc_exit_self(4);
        };
        const bool is_timed = expected_.event == Event::over_time || expected_.event == Event::over_time_late;
        s_.make_async({.capacity = 4, .max_active = 2, .timeout_ns = is_timed ? 1'000'000 : 0, .mt = 2});
        s_.put();
        s_.put();
        if (expected_.event == Event::torn_down) s_.put(); // waits behind them
        s_.settle();
        come();
        CHECK(s_.until([this] { return s_.ended(1) && s_.ended(2); }));
        s_.settle();
        if (expected_.event == Event::over_time_late) device_.finish();
        s_.settle();
    }

    void check() {
        REQUIRE(s_.collects.size() >= 1);
        CHECK(s_.collects[0] == std::pair<Handles, int>{{1, 2}, expected_.status});
        CHECK(s_.outcome_of(1) == expected_.first);
        if (expected_.second == kGoesOn) {
            CHECK(s_.vectors == std::vector<Handles>{{1, 2}, {2}});
            CHECK(s_.collects.size() == 2);
            CHECK(s_.outcome_of(2) == XTC_OK);
        } else {
            CHECK(s_.vectors.size() == 1); // not launched again
            CHECK(s_.collects.size() == 1);
            CHECK(s_.outcome_of(2) == expected_.second);
        }
        CHECK(s_.hints == expected_.hints);
        check_totals();
        if (device_.kind == XTC_BATCH_EXEC_FUTURE && device_.promise != nullptr)
            CHECK(was_left_); // used up before collect ran: nobody waits for it any more
    }

private:
    Story s_;
    const Expected expected_;
    Device device_;
    int broken_[2] = {-1, -1};
    bool was_left_ = false;

    int launch(xtc_batch_exec_t* exec) {
        if (expected_.event == Event::refused && expected_.kind == B) device_.refusal = XTC_E_RESOURCE;
        device_.launch(exec);
        switch (expected_.event) {
        case Event::over_at_once:
            device_.finish();
            break;
        case Event::refused:
            if (expected_.kind == F) exec->fence_fd = 1 << 20;
            if (expected_.kind == U) {
                xtc_future_discard(std::exchange(exec->future, nullptr));
                xtc_promise_drop(std::exchange(device_.promise, nullptr));
            }
            break;
        case Event::failed:
            if (expected_.kind == F) {
                CHECK(::pipe(broken_) == 0);
                exec->fence_fd = broken_[0];
            }
            break;
        default:
            break;
        }
        return 0;
    }

    void come() {
        const auto owner = [this](auto fn) { s_.on_loop(fn); };
        const bool is_closure = device_.kind == B;
        switch (expected_.event) {
        case Event::over_later:
            CHECK(s_.collects.empty());
            return device_.finish();
        case Event::over_time:
        case Event::over_time_late:
            if (!is_closure) return;
            CHECK_FALSE(s_.until_ms(5, [this] { return !s_.collects.empty(); }));
            return device_.finish();
        case Event::member_cancelled:
            owner([this] { CHECK(xtc_batch_cancel(s_.group, 1) == XTC_OK); });
            CHECK(s_.collects.empty()); // it does not end the wait
            return device_.finish();
        case Event::cancel_closed:
            s_.start([this] { CHECK(xtc_batch_close(s_.group, XTC_BATCH_CANCEL) == XTC_OK); });
            break;
        case Event::drain_closed:
            owner([this] { CHECK(xtc_batch_close(s_.group, XTC_BATCH_DRAIN) == XTC_OK); });
            CHECK(s_.collects.empty());
            return device_.finish();
        case Event::killed:
            s_.start([this] { CHECK(xtc_exit_pid(s_.driver, 9) == XTC_OK); });
            break;
        case Event::torn_down:
            s_.start([this] { CHECK(xtc_batch_cancel(s_.group, 3) == XTC_OK); });
            break;
        case Event::failed:
            if (device_.kind == F)
                ::close(std::exchange(broken_[1], -1)); // hangs up
            else
                device_.finish(XTC_E_IO);
            return;
        default:
            return;
        }
        if (!is_closure) return;
        s_.settle();
        CHECK(s_.collects.empty()); // the closure still has to return
        device_.finish();
    }

    void check_totals() {
        const auto stats = s_.stats();
        const auto async = s_.async_stats();
        CHECK(async.offloads == (device_.kind == S ? 0u : 1u));
        CHECK(async.offload_timeouts == (expected_.status == kTimeout ? 1u : 0u));
        CHECK(async.offload_errors == (expected_.status < 0 ? 1u : 0u));
        CHECK(stats.completed + stats.cancelled + stats.failed == s_.ends.size());
        if (expected_.status == kAborted || expected_.event == Event::cancel_closed)
            CHECK(stats.cancelled == s_.ends.size());
        if (expected_.status < 0) CHECK(stats.failed == 2);
        CHECK(stats.ready + stats.blocked + stats.queued + stats.reserved_units == 0);
        if (broken_[0] >= 0) ::close(broken_[0]);
    }
};

} // namespace

TEST_CASE("each kind of token under each fate: what collect is told, how members end, once") {
    for (const Expected& each : kTable) {
        DYNAMIC_SECTION(name_of_kind(each.kind) << ", event " << static_cast<int>(each.event)) {
            Run(each).check();
        }
    }
}

TEST_CASE("the four ways for a request to end without success can be told apart") {
    Story s;
    Device device(XTC_BATCH_EXEC_FUTURE);
    device.run_in(s);
    s.on_collect = [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t n, int status) {
        if (status == XTC_BATCH_EXEC_OK)
            for (size_t i = 0; i < n; ++i) results[i].state = XTC_BATCH_DONE;
        return 0;
    };
    s.make_async({.capacity = 1, .max_active = 1, .timeout_ns = 1'000'000});
    const auto one_more = [&](auto end) {
        uint64_t handle = 0;
        s.on_loop([&] {
            handle = s.put();
            uint64_t none = 0;
            CHECK(s.try_submit(1, &none) == XTC_E_AGAIN); // full: an answer, never an outcome
        });
        s.start([&s, handle, end] { end(s, handle); });
        CHECK(s.until([&] { return s.ended(handle); }));
        return s.outcome_of(handle);
    };
    std::set<int> outcomes;
    outcomes.insert(one_more([&](Story&, uint64_t) { device.finish(); }));
    outcomes.insert(one_more([](Story&, uint64_t) {}));
    outcomes.insert(one_more([](Story& st, uint64_t h) { xtc_batch_cancel(st.group, h); }));
    outcomes.insert(one_more([&](Story&, uint64_t) { device.finish(XTC_E_IO); }));
    CHECK(outcomes == std::set<int>{XTC_OK, XTC_E_AGAIN, XTC_E_ABORTED, XTC_E_IO});
}
