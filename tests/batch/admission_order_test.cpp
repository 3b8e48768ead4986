// SPDX-License-Identifier: ISC
//
// Who enters when, through the public calls: charges, slots, arrival, and how soon.
#include "batch/device.hpp"

#include <random>

using story::Device;
using story::Handles;
using story::Story;

TEST_CASE("a charge of everything runs, one unit more is refused at the door, on both paths") {
    const bool by_thread = GENERATE(false, true);
    Story s;
    s.make_async({.capacity = 4, .max_active = 4, .units = 10, .mt = 4});
    uint64_t handle = 77;
    const auto offer = [&](uint64_t charge) {
        return by_thread ? xtc_batch_submit_mt(s.group, nullptr, charge, &handle)
                         : s.try_submit(charge, &handle);
    };
    CHECK(offer(11) == XTC_E_RANGE);
    CHECK(offer(UINT64_MAX) == XTC_E_RANGE);
    CHECK(offer(0) == XTC_E_RANGE);
    CHECK(handle == 77);
    CHECK(offer(10) == XTC_OK);
    s.settle();
    CHECK(s.outcome_of(handle) == XTC_OK);
}

TEST_CASE(
    "while one blocked member holds a unit the head that needs all waits, and so does everyone behind") {
    Story s;
    s.make_async({.capacity = 8, .max_active = 8, .units = 10, .mt = 8});
    s.on_collect = [](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        for (size_t i = 0; i < n; ++i)
            results[i].state = items[i].handle == 1 ? XTC_BATCH_BLOCKED : XTC_BATCH_DONE;
        return 0;
    };
    s.put(1);
    s.settle();
    s.on_loop([&] {
        s.put(10);
        s.put(1);
        s.put_mt(1);
    });
    CHECK(s.vectors == std::vector<Handles>{{1}});
    CHECK(s.stats().queued == 3);
    CHECK(s.stats().reserved_units == 1); // those that wait hold none
    s.on_loop([&] { CHECK(xtc_batch_cancel(s.group, 2) == XTC_OK); });
    CHECK(s.vectors == std::vector<Handles>{{1}, {3, 4}}); // at the next boundary
}

TEST_CASE("order of arrival is kept across both paths, slots and holding") {
    Story s;
    s.make_async({.capacity = 2, .max_active = 1, .mt = 6});
    const uint64_t a = s.put(), b = s.put_mt(), c = s.put_mt(), d = s.put_mt();
    uint64_t none = 0;
    CHECK(s.try_submit(1, &none) == XTC_E_AGAIN); // it would pass those that are held
    s.settle();
    CHECK(s.vectors == std::vector<Handles>{{a}, {b}, {c}, {d}});
    CHECK(s.stats().rejections == 1); // the hand-ins are none
    CHECK(s.async_stats().mt_rejections == 0);
}

TEST_CASE("after any number of hand-ins that end at once the group takes more") {
    const size_t k = GENERATE(1, 3, 4, 5, 8);
    Story s;
    s.make_async({.capacity = 6, .max_active = 4, .mt = 8});
    s.settle();
    for (int round = 0; round < 200; ++round) {
        for (size_t i = 0; i < k; ++i) s.put_mt();
        s.settle();
        s.put_mt(); // on a group that was idle
        s.settle();
    }
    CHECK(s.stats().completed == 200 * (k + 1));
    CHECK(s.stats().max_vector <= 4);
    CHECK(s.async_stats().mt_queued == 0);
}

TEST_CASE("random submits never make a vector longer than max_active or its charges more than the capacity") {
    Story s;
    std::mt19937_64 random(27);
    std::map<uint64_t, uint64_t> charges;
    size_t longest = 0;
    bool within = true;
    s.on_collect = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        uint64_t units = 0;
        for (size_t i = 0; i < n; ++i) {
            units += charges[items[i].handle];
            results[i].state = static_cast<int>(1 + random() % 3); // continue, done, blocked
        }
        longest = std::max(longest, n);
        within = within && n <= 5 && units <= 40;
        return 0;
    };
    s.on_complete = [&](uint64_t handle, void*, int) { charges.erase(handle); };
    s.make_async({.capacity = 9, .max_active = 5, .units = 40, .mt = 4});
    uint64_t accepted = 0;
    s.start([&] {
        for (int i = 0; i < 30000; ++i) {
            const uint64_t charge = 1 + random() % 40;
            uint64_t handle = 0;
            const int rc = random() % 2 == 0 ? s.try_submit(charge, &handle)
                                             : xtc_batch_submit_mt(s.group, nullptr, charge, &handle);
            if (rc == XTC_OK) {
                ++accepted;
                charges[handle] = charge;
            }
            if (random() % 3 == 0) {
                const uint64_t some = 1 + random() % (accepted + 1);
                random() % 4 == 0 ? xtc_batch_cancel(s.group, some) : xtc_batch_resume(s.group, some);
            }
            for (const auto& [blocked, units] : charges)
                if (random() % 8 == 0) xtc_batch_resume(s.group, blocked);
            if (i % 64 == 0) {
                const auto stats = s.stats();
                within = within && stats.ready + stats.blocked <= 5 && stats.reserved_units <= 40 &&
                         stats.queued <= 9 + 4;
            }
            xtc_yield();
        }
    });
    s.settle();
    CHECK(within);
    CHECK(s.stats().max_vector == longest);
    CHECK(longest == 5);
    s.end();
    CHECK(s.ends.size() == accepted);
}

TEST_CASE("a cancel from a thread is seen within two iterations, however busy the ring") {
    Story s;
    size_t asked_at = 0;
    s.on_collect = [&](const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int) {
        for (size_t i = 0; i < n; ++i)
            results[i].state = items[i].handle == 1 ? XTC_BATCH_CONTINUE : XTC_BATCH_DONE;
        if (asked_at != 0 || s.vectors.size() < 50) s.put_mt(); // somebody always hands in
        if (s.vectors.size() == 50) {
            asked_at = s.vectors.size();
            CHECK(xtc_batch_cancel_mt(s.group, 1) == XTC_OK);
        }
        return 0;
    };
    size_t ended_at = 0;
    s.on_complete = [&](uint64_t handle, void*, int) {
        if (handle == 1) ended_at = s.vectors.size();
    };
    s.make_async({.capacity = 4, .max_active = 2, .mt = 8});
    s.put();
    s.start([&] {
        while (ended_at == 0 && s.vectors.size() < 500) xtc_yield();
        s.on_collect = Story::collect_all(XTC_BATCH_DONE);
    });
    s.settle();
    CHECK(s.outcome_of(1) == XTC_E_ABORTED);
    CHECK(ended_at != 0);
    CHECK(ended_at <= asked_at + 2);
}

TEST_CASE("waiting and held requests end by a cancel while the operation of others is still out") {
    const int kind = GENERATE(XTC_BATCH_EXEC_FENCE, XTC_BATCH_EXEC_FUTURE, XTC_BATCH_EXEC_BLOCKING);
    const bool by_thread = GENERATE(false, true);
    Story s;
    Device device(kind);
    device.run_in(s);
    s.make_async({.capacity = 2, .max_active = 1, .mt = 4});
    s.put();
    const uint64_t waiting = s.put(), held = s.put_mt(), behind = s.put_mt();
    s.settle();
    CHECK(device.launched == 1);
    s.on_loop([&] {
        for (const uint64_t handle : {waiting, held})
            CHECK((by_thread ? xtc_batch_cancel_mt(s.group, handle) : xtc_batch_cancel(s.group, handle)) ==
                  XTC_OK);
    });
    CHECK(s.outcome_of(waiting) == XTC_E_ABORTED); // the driver was awake for it
    CHECK(s.outcome_of(held) == XTC_E_ABORTED);
    CHECK(s.collects.empty());
    CHECK(s.hints.empty());
    CHECK(s.stats().queued == 1); // the slot went to the next in line
    device.finish();
    CHECK(s.until([&] { return device.launched == 2; }));
    device.finish();
    CHECK(s.until([&] { return s.ended(behind); }));
    CHECK(s.outcome_of(behind) == XTC_OK);
}

TEST_CASE("blocked members and held hand-ins behind them are let go from outside, one after the other") {
    Story s;
    constexpr size_t slots = 3, queue = 4;
    s.on_collect = Story::collect_all(XTC_BATCH_BLOCKED);
    s.make_async({.capacity = slots, .max_active = slots, .mt = queue});
    for (size_t i = 0; i < slots; ++i) s.put_mt();
    s.settle();
    for (size_t i = 0; i < queue; ++i) s.put_mt();
    s.settle();
    uint64_t none = 0;
    CHECK(xtc_batch_submit_mt(s.group, nullptr, 1, &none) == XTC_E_AGAIN); // every record holds a hand-in
    CHECK(s.stats().blocked == slots);
    s.on_collect = Story::collect_all(XTC_BATCH_DONE);
    for (uint64_t handle = 1; handle <= slots; ++handle) {
        CHECK(xtc_batch_resume_mt(s.group, handle) == XTC_OK);
        s.settle();
        CHECK(s.outcome_of(handle) == XTC_OK);
    }
    CHECK(s.ends.size() == slots + queue);
    CHECK(s.async_stats().mt_queued == 0);
}
