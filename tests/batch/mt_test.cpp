// SPDX-License-Identifier: ISC
#include "batch/story.hpp"

#include "batch/group.hpp"

#include <atomic>
#include <set>
#include <thread>

using story::Handles;
using story::Story;

namespace {

void back_off() {
    std::this_thread::yield();
}

} // namespace

TEST_CASE("a hand-in before the first iteration waits and runs") {
    Story s;
    s.make_async({.mt = 4});
    const uint64_t handle = s.put_mt();
    CHECK(handle == 1);
    CHECK(s.async_stats().mt_queued == 1);
    CHECK(s.stats().queued == 0);
    s.settle();
    CHECK(s.outcome_of(handle) == XTC_OK);
    CHECK(s.async_stats().mt_queued == 0);
}

TEST_CASE("hand-ins that find every slot taken are held in order and go before any later submission") {
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = 2, .max_active = 2, .mt = 4});
    s.put();
    s.put();
    for (int i = 0; i < 4; ++i) s.put_mt();
    uint64_t handle = 0;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_AGAIN); // records used up
    s.settle();
    CHECK(s.stats().queued == 4);
    CHECK(s.async_stats().mt_queued == 4);
    CHECK(s.async_stats().mt_rejections == 1);
    s.on_loop([&] {
        CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
        CHECK(xtc_batch_cancel(s.group, 1) == XTC_OK);
        CHECK(xtc_batch_cancel(s.group, 4) == XTC_OK); // held: never runs
    });
    CHECK(s.vectors == std::vector<Handles>{{1, 2}, {3}});
    CHECK(s.outcome_of(4) == XTC_E_ABORTED);
    CHECK(s.stats().queued == 2);
    for (const uint64_t done : {2, 3}) s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, done) == XTC_OK); });
    CHECK(s.vectors == std::vector<Handles>{{1, 2}, {3}, {5}, {6}});
    CHECK(s.stats().rejections == 1);
}

TEST_CASE("a group blocked behind held hand-ins can still be resumed and cancelled from outside") {
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = 1, .max_active = 1, .mt = 2});
    s.put();
    s.put_mt();
    s.put_mt();
    s.settle();
    s.on_collect = Story::collect_all(XTC_BATCH_DONE);
    CHECK(xtc_batch_resume_mt(s.group, 1) == XTC_OK);
    CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_OK);
    CHECK(xtc_batch_cancel_mt(s.group, 3) == XTC_E_AGAIN); // both controls are under way
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.outcome_of(3) == XTC_OK);
}

TEST_CASE("controls find a request wherever it is, and a finished one costs nothing") {
    Story s;
    s.make_async({.mt = 2});
    CHECK(xtc_batch_cancel_mt(s.group, 0) == XTC_E_INVAL);
    CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_E_INVAL); // never issued
    const uint64_t on_ring = s.put_mt();
    CHECK(xtc_batch_cancel_mt(s.group, on_ring) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(on_ring) == XTC_E_ABORTED);
    CHECK(s.vectors.empty());
    for (int i = 0; i < 1000; ++i) {
        CHECK(xtc_batch_cancel_mt(s.group, on_ring) == XTC_OK);
        CHECK(xtc_batch_resume_mt(s.group, on_ring) == XTC_OK);
        s.settle();
    }
    const uint64_t next = s.put_mt();
    s.settle();
    CHECK(s.outcome_of(next) == XTC_OK);
    CHECK(s.async_stats().mt_rejections == 0);
}

TEST_CASE("an owner's cancel and submit first take in what was handed over") {
    Story s;
    s.make_async({.mt = 4});
    const uint64_t handed = s.put_mt();
    CHECK(xtc_batch_cancel(s.group, handed) == XTC_OK);
    s.put();
    const uint64_t second = s.put_mt();
    s.put();
    CHECK(second == 3);
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{2, 3, 4}});
    CHECK(s.outcome_of(handed) == XTC_E_ABORTED);
}

TEST_CASE("while an earlier hand-in is being written, owner calls that would pass it say again") {
    Story s;
    s.make_async({.mt = 4});
    xtc::Group& group = *s.group;
    s.put();
    xtc::SubmitRecord* record = group.handin->submits.claim();
    record->handle = group.handles.take();
    record->request = nullptr;
    record->charge = 1;
    const uint64_t place = group.handin->ring.reserve_for_submit();
    const uint64_t behind = s.put_mt();
    uint64_t handle = 0;
    CHECK(s.try_submit(1, &handle) == XTC_E_AGAIN);
    CHECK(xtc_batch_cancel(s.group, behind) == XTC_E_AGAIN);
    s.settle(); // others go on meanwhile
    CHECK(s.vectors == std::vector<Handles>{{1}});
    s.on_loop([&] { CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK); });
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN); // it must still come
    group.handin->ring.publish(place, *record);
    group.boundary.signal();
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{1}, {2, 3}});
    CHECK(s.ends.size() == 3);
}

TEST_CASE("a killed driver waits for the hand-in that is being written") {
    Story s;
    s.make_async({.mt = 4});
    s.put();
    s.settle();
    xtc::Group& group = *s.group;
    xtc::SubmitRecord* record = group.handin->submits.claim();
    record->handle = group.handles.take();
    record->charge = 1;
    const uint64_t place = group.handin->ring.reserve_for_submit();
    s.on_loop([&] { CHECK(xtc_exit_pid(s.driver, 9) == XTC_OK); });
    CHECK(xtc_batch_destroy(s.group) == XTC_E_AGAIN);
    group.handin->ring.publish(place, *record);
    group.boundary.signal();
    s.settle();
    CHECK(s.outcome_of(2) == XTC_E_INTERNAL);
}

TEST_CASE("after close nothing is handed in any more, with drain what is there runs") {
    const auto [mode, outcome] = GENERATE(
        table<xtc_batch_close_mode, int>({{XTC_BATCH_DRAIN, XTC_OK}, {XTC_BATCH_CANCEL, XTC_E_ABORTED}}));
    Story s;
    s.make_async({.mt = 4});
    const uint64_t handle = s.put_mt();
    CHECK(xtc_batch_close(s.group, mode) == XTC_OK);
    uint64_t none = 77;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &none) == XTC_E_AGAIN);
    CHECK(none == 77);
    s.settle();
    CHECK(s.outcome_of(handle) == outcome);
    CHECK(xtc_batch_cancel_mt(s.group, handle) == XTC_E_INVAL); // the driver is through
    CHECK(xtc_batch_resume_mt(s.group, handle) == XTC_E_INVAL);
    CHECK(s.async_stats().mt_rejections == 1);
}

TEST_CASE("arguments of a hand-in are checked and the last handle is given once") {
    Story s;
    s.make_async({.units = 10, .mt = 4});
    uint64_t handle = 77;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 0, &handle) == XTC_E_RANGE);
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 11, &handle) == XTC_E_RANGE);
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, nullptr) == XTC_E_INVAL);
    s.group->handles.start_after(UINT64_MAX - 1);
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_OK);
    CHECK(handle == UINT64_MAX);
    handle = 77;
    for (int i = 0; i < 10; ++i) CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &handle) == XTC_E_RANGE);
    CHECK(s.try_submit(1, &handle) == XTC_E_RANGE);
    CHECK(handle == 77);
    s.settle();
    CHECK(s.outcome_of(UINT64_MAX) == XTC_OK);
    CHECK(s.async_stats().mt_rejections == 0);
}

TEST_CASE("calls for threads are accepted inside callbacks") {
    Story s;
    s.make_async({.mt = 4});
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (handle != 1) return;
        s.put_mt();
        CHECK(xtc_batch_cancel_mt(s.group, 2) == XTC_OK);
    };
    s.put();
    s.settle();
    CHECK(s.outcome_of(1) == XTC_OK);
    CHECK(s.outcome_of(2) == XTC_E_ABORTED);
    CHECK(s.vectors.size() == 1);
}

TEST_CASE("every hand-in of many threads completes once, with cancels and resumes in between", "[threads]") {
    constexpr int producers = 3, each = 4000;
    Story s;
    s.on_collect = [](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        for (size_t i = 0; i < n; ++i)
            results[i].state = items[i].handle % 5 == 0 ? XTC_BATCH_BLOCKED : XTC_BATCH_DONE;
        return 0;
    };
    s.make_async({.capacity = 16, .max_active = 8, .units = 64, .mt = 32});
    std::atomic<int> producing{producers};
    std::vector<std::vector<uint64_t>> handles(producers);
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p)
        threads.emplace_back([&, p] {
            for (int i = 0; i < each; ++i) {
                uint64_t handle = 0;
                while (xtc_batch_submit_mt(s.group, nullptr, 1 + static_cast<uint64_t>(i) % 9, &handle) !=
                       XTC_OK)
                    back_off();
                handles[static_cast<size_t>(p)].push_back(handle);
                // A blocked one must be let go, one way or the other.
                if (handle % 5 == 0 || i % 7 == 0)
                    while (xtc_batch_cancel_mt(s.group, handle) == XTC_E_AGAIN) back_off();
            }
            --producing;
        });
    CHECK(s.until([&] { return producing.load() == 0; }));
    for (auto& thread : threads) thread.join();
    CHECK(s.until([&] { return s.ends.size() == producers * each; }));
    std::set<uint64_t> issued, ended;
    bool increasing = true;
    for (const auto& mine : handles) {
        increasing = increasing && std::is_sorted(mine.begin(), mine.end());
        issued.insert(mine.begin(), mine.end());
    }
    for (const auto& [handle, outcome] : s.ends) ended.insert(handle);
    CHECK(increasing);
    CHECK(issued.size() == producers * each);
    CHECK(ended == issued);
    const auto stats = s.stats();
    CHECK(stats.completed + stats.cancelled + stats.failed == producers * each);
    CHECK(stats.failed == 0);
    CHECK(stats.max_vector <= 8);
    CHECK(stats.queued + stats.ready + stats.blocked + stats.reserved_units == 0);
}

TEST_CASE("a hand-in that races close is refused or completes once, and the driver ends", "[threads]") {
    // Many groups on each loop, closed one after the other under the producers' hands.
    constexpr size_t loops = 10, groups = 200;
    for (size_t round = 0; round < loops; ++round) {
        struct Raced {
            xtc_batch_t* group = nullptr;
            std::atomic<size_t> accepted{0};
            std::atomic<bool> is_closed{false};
            std::atomic<size_t> after_close{0};
            size_t ended = 0;
            bool all_as_closed = true;
            int wanted = XTC_OK; // of what is still to run when the close comes
        };
        std::vector<Raced> raced(groups);
        std::atomic<size_t> turn{0};
        std::atomic<bool> over{false};
        xtc_loop_t* loop = nullptr;
        REQUIRE(xtc_loop_init(&loop) == XTC_OK);
        for (Raced& each : raced) {
            xtc_batch_async_opts_t o = {};
            o.size = sizeof(o);
            o.version = XTC_BATCH_VERSION;
            o.capacity = 2;
            o.max_active = 1;
            o.resource_capacity = 1;
            o.submit = [](const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t* exec) {
                exec->kind = XTC_BATCH_EXEC_SYNC;
                return 0;
            };
            o.collect = [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int, void*) {
                results[0].state = XTC_BATCH_DONE;
                return 0;
            };
            o.complete = [](uint64_t, void*, int outcome, void* user) {
                auto* self = static_cast<Raced*>(user);
                ++self->ended;
                self->all_as_closed = self->all_as_closed && (outcome == XTC_OK || outcome == self->wanted);
            };
            o.user = &each;
            o.mt_queue_cap = 4;
            REQUIRE(xtc_batch_create_async(loop, &o, &each.group) == XTC_OK);
        }
        std::vector<std::thread> producers;
        for (int p = 0; p < 2; ++p)
            producers.emplace_back([&] {
                while (!over.load()) {
                    Raced& each = raced[turn.load()];
                    const bool was_closed = each.is_closed.load();
                    uint64_t handle = 0;
                    if (xtc_batch_submit_mt(each.group, nullptr, 1, &handle) == XTC_OK) {
                        each.accepted.fetch_add(1);
                        if (was_closed) each.after_close.fetch_add(1);
                    } else {
                        back_off();
                    }
                }
            });
        struct Closer {
            std::vector<Raced>& raced;
            std::atomic<size_t>& turn;
            static void run(void* raw) {
                auto* self = static_cast<Closer*>(raw);
                for (size_t i = 0; i < groups; ++i) {
                    Raced& each = self->raced[i];
                    self->turn = i;
                    while (each.accepted.load() == 0) xtc_yield();
                    for (size_t k = 0; k < i % 5; ++k) xtc_yield();
                    const auto mode = i % 2 == 0 ? XTC_BATCH_DRAIN : XTC_BATCH_CANCEL;
                    each.wanted = mode == XTC_BATCH_DRAIN ? XTC_OK : XTC_E_ABORTED;
                    const int rc = xtc_batch_close(each.group, mode);
                    each.is_closed = true;
                    if (rc != XTC_OK) each.wanted = 99;
                }
            }
        } closer{raced, turn};
        REQUIRE(xtc_proc_spawn(loop, Closer::run, &closer, nullptr, nullptr) == XTC_OK);
        CHECK(xtc_loop_run(loop) == XTC_OK); // until every driver has ended
        over = true;
        for (auto& producer : producers) producer.join();
        size_t lost = 0, late = 0, odd = 0;
        for (Raced& each : raced) {
            lost += each.ended != each.accepted.load();
            late += each.after_close.load();
            odd += !each.all_as_closed || each.wanted == 99;
            CHECK(xtc_batch_destroy(each.group) == XTC_OK);
        }
        CHECK(lost == 0);
        CHECK(late == 0);
        CHECK(odd == 0);
        CHECK(xtc_loop_fini(loop) == XTC_OK);
    }
}

TEST_CASE("a sleeping group is woken by a thread each time, without a timer", "[threads]") {
    constexpr int rounds = 3000;
    Story s;
    s.make_async({.mt = 1});
    std::atomic<int> done{0};
    s.on_complete = [&](uint64_t, void*, int) { done.fetch_add(1); };
    std::atomic<bool> finished{false};
    std::thread producer([&] {
        for (int i = 0; i < rounds; ++i) {
            uint64_t handle = 0;
            while (xtc_batch_submit_mt(s.group, nullptr, 1, &handle) != XTC_OK) back_off();
            while (done.load() <= i) back_off();
        }
        finished = true;
    });
    s.start([&] {
        // keeps the loop alive without waking it
        while (!finished.load()) xtc_proc_sleep(50'000'000);
        CHECK(xtc_batch_close(s.group, XTC_BATCH_DRAIN) == XTC_OK);
    });
    CHECK(xtc_loop_run(s.loop) == XTC_OK);
    producer.join();
    CHECK(done.load() == rounds);
}

TEST_CASE("after every boundary each record is there again, however many there are") {
    constexpr size_t many = 100;
    Story s;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = 3 * many, .max_active = 3 * many, .units = 3 * many, .mt = many});
    Handles handles;
    for (size_t round = 1; round <= 3; ++round) {
        for (size_t i = 0; i < many; ++i) handles.push_back(s.put_mt());
        uint64_t ignored = 0;
        CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &ignored) == XTC_E_AGAIN);
        s.settle();
        CHECK(s.stats().blocked == round * many);
    }
    for (size_t first = 0; first < handles.size(); first += many) {
        for (size_t i = 0; i < many; ++i) CHECK(xtc_batch_cancel_mt(s.group, handles[first + i]) == XTC_OK);
        CHECK(xtc_batch_cancel_mt(s.group, handles[first]) == XTC_E_AGAIN);
        s.settle();
    }
    for (const uint64_t handle : handles) CHECK(s.outcome_of(handle) == XTC_E_ABORTED);
}
