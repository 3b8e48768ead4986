// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/handin.hpp"
#include "batch/handles.hpp"

#include <xtc.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <vector>

using xtc::Handin;
using xtc::HandinRing;
using xtc::SubmitRecord;

namespace {

// A producer's hand-in of one number.
bool hand_in(Handin& handin, uint64_t number) {
    SubmitRecord* record = handin.submits.claim();
    if (record == nullptr) return false;
    record->handle = number;
    const uint64_t place = handin.ring.reserve_for_submit();
    if (place == HandinRing::kNone) {
        handin.submits.give(*record);
        return false;
    }
    handin.ring.publish(place, *record);
    return true;
}

bool take_one(Handin& handin, uint64_t* number) {
    HandinRing::Entry entry;
    if (!handin.ring.has_before(handin.ring.end()) || !handin.ring.take(&entry)) return false;
    if (entry.submit != nullptr) {
        *number = entry.submit->handle;
        handin.submits.give(*entry.submit);
    } else {
        *number = entry.control->handle;
        handin.controls.give(*entry.control);
    }
    return true;
}

} // namespace

TEST_CASE("a pool hands out each record once and refuses beyond") {
    Handin handin;
    REQUIRE(handin.init(3) == XTC_OK);
    std::set<SubmitRecord*> taken;
    for (int i = 0; i < 3; ++i) taken.insert(handin.submits.claim());
    CHECK(taken.size() == 3);
    CHECK_FALSE(taken.contains(nullptr));
    CHECK(handin.submits.claim() == nullptr);
    handin.submits.give(**taken.begin());
    CHECK(handin.submits.claim() == *taken.begin());
}

TEST_CASE("entries come in the order their places were reserved, not written") {
    Handin handin;
    REQUIRE(handin.init(4) == XTC_OK);
    SubmitRecord* first = handin.submits.claim();
    first->handle = 1;
    const uint64_t place = handin.ring.reserve_for_submit();
    CHECK(hand_in(handin, 2));
    uint64_t number = 0;
    CHECK_FALSE(take_one(handin, &number)); // the first is still being written
    CHECK(handin.ring.submits_waiting() == 1);
    handin.ring.publish(place, *first);
    REQUIRE(take_one(handin, &number));
    CHECK(number == 1);
    REQUIRE(take_one(handin, &number));
    CHECK(number == 2);
    CHECK_FALSE(take_one(handin, &number));
}

TEST_CASE("the ring goes round for ever with all its records under way") {
    Handin handin;
    REQUIRE(handin.init(3) == XTC_OK);
    uint64_t next_in = 0, next_out = 0;
    for (int round = 0; round < 1000; ++round) {
        while (hand_in(handin, next_in)) ++next_in;
        CHECK(next_in - next_out == 3);
        uint64_t number = 0;
        for (int i = 0; i < 1 + round % 3; ++i) {
            REQUIRE(take_one(handin, &number));
            if (number != next_out++) FAIL("out of order");
        }
    }
}

TEST_CASE("a closed ring takes controls but no submits, a finished one nothing") {
    Handin handin;
    REQUIRE(handin.init(2) == XTC_OK);
    CHECK_FALSE(handin.ring.try_finish()); // not closed
    handin.ring.close();
    CHECK(handin.ring.is_closed());
    CHECK(handin.ring.reserve_for_submit() == HandinRing::kNone);
    const uint64_t place = handin.ring.reserve_for_control();
    REQUIRE(place != HandinRing::kNone);
    CHECK_FALSE(handin.ring.try_finish()); // something is under way
    xtc::ControlRecord* record = handin.controls.claim();
    record->handle = 5;
    handin.ring.publish(place, *record);
    CHECK_FALSE(handin.ring.try_finish());
    uint64_t number = 0;
    REQUIRE(take_one(handin, &number));
    CHECK(number == 5);
    CHECK(handin.ring.try_finish());
    CHECK(handin.ring.try_finish());
    CHECK(handin.ring.is_finished());
    CHECK(handin.ring.reserve_for_control() == HandinRing::kNone);
}

TEST_CASE("sizes are counted, bounded and refused before they overflow") {
    size_t bytes = 0;
    CHECK(Handin::size_of(1, &bytes) == XTC_OK);
    CHECK(bytes >= sizeof(SubmitRecord) + sizeof(xtc::ControlRecord) + 2 * sizeof(void*));
    CHECK(Handin::size_of(size_t{1} << 31, &bytes) == XTC_OK);
    CHECK(Handin::size_of((size_t{1} << 31) + 1, &bytes) == XTC_E_RANGE);
    CHECK(Handin::size_of(SIZE_MAX, &bytes) == XTC_E_RANGE);
}

TEST_CASE("handles start at 1 and are used up, never wrapped", "[threads]") {
    xtc::Handles handles;
    CHECK_FALSE(handles.was_issued(0));
    CHECK_FALSE(handles.was_issued(1));
    CHECK(handles.take() == 1);
    CHECK(handles.was_issued(1));
    CHECK_FALSE(handles.was_issued(2));

    handles.start_after(UINT64_MAX - 1000);
    std::vector<std::vector<uint64_t>> taken(4);
    std::vector<std::thread> threads;
    for (auto& mine : taken)
        threads.emplace_back([&handles, &mine] {
            for (int i = 0; i < 400; ++i)
                if (const uint64_t handle = handles.take(); handle != 0) mine.push_back(handle);
        });
    for (auto& thread : threads) thread.join();
    std::set<uint64_t> all;
    size_t count = 0;
    for (const auto& mine : taken) {
        CHECK(std::is_sorted(mine.begin(), mine.end()));
        all.insert(mine.begin(), mine.end());
        count += mine.size();
    }
    CHECK(count == 1000);
    CHECK(all.size() == 1000);
    CHECK(*all.begin() == UINT64_MAX - 999);
    CHECK(*all.rbegin() == UINT64_MAX);
    CHECK(handles.used_up());
    CHECK(handles.take() == 0);
}

TEST_CASE("every hand-in of many producers arrives once, each producer's in order", "[threads]") {
    constexpr uint64_t producers = 4, each = 20000;
    Handin handin;
    REQUIRE(handin.init(8) == XTC_OK);
    std::vector<std::thread> threads;
    for (uint64_t p = 0; p < producers; ++p)
        threads.emplace_back([&handin, p] {
            for (uint64_t i = 0; i < each; ++i)
                while (!hand_in(handin, p << 32 | i)) std::this_thread::yield();
        });
    std::map<uint64_t, uint64_t> next;
    uint64_t arrived = 0;
    bool ordered = true;
    while (arrived < producers * each) {
        uint64_t number;
        if (!take_one(handin, &number)) {
            std::this_thread::yield();
            continue;
        }
        ordered = ordered && (number & 0xffffffff) == next[number >> 32]++;
        ++arrived;
    }
    for (auto& thread : threads) thread.join();
    CHECK(ordered);
    for (uint64_t p = 0; p < producers; ++p) CHECK(next[p] == each);
    handin.ring.close();
    CHECK(handin.ring.try_finish());
}

TEST_CASE("a hand-in that races the close is refused or arrives, and then nothing comes", "[threads]") {
    for (int round = 0; round < 300; ++round) {
        Handin handin;
        REQUIRE(handin.init(4) == XTC_OK);
        std::atomic<uint64_t> accepted{0};
        std::vector<std::thread> threads;
        for (int p = 0; p < 2; ++p)
            threads.emplace_back([&] {
                while (!handin.ring.is_closed())
                    if (hand_in(handin, 1)) accepted.fetch_add(1);
            });
        uint64_t taken = 0, number;
        for (int i = 0; i < round; ++i)
            if (take_one(handin, &number)) ++taken;
        handin.ring.close();
        while (!handin.ring.try_finish())
            if (take_one(handin, &number)) ++taken;
        for (auto& thread : threads) thread.join();
        if (taken != accepted.load()) FAIL(taken << " arrived of " << accepted.load());
    }
    SUCCEED();
}

TEST_CASE("records that are given back later are there after a flush, or when they are a sixteenth") {
    xtc::RecordPool<SubmitRecord> pool;
    REQUIRE(pool.init(64));
    std::vector<SubmitRecord*> all;
    while (SubmitRecord* record = pool.claim()) all.push_back(record);
    REQUIRE(all.size() == 64);
    for (int i = 0; i < 3; ++i) pool.give_later(*all[i]);
    CHECK(pool.claim() == nullptr);
    pool.flush();
    std::set<SubmitRecord*> back;
    for (int i = 0; i < 3; ++i) back.insert(pool.claim());
    CHECK(back == std::set<SubmitRecord*>{all[0], all[1], all[2]});
    CHECK(pool.claim() == nullptr);
    pool.flush(); // nothing is kept
    CHECK(pool.claim() == nullptr);
    for (int i = 0; i < 4; ++i) pool.give_later(*all[i]);
    back.clear();
    for (int i = 0; i < 4; ++i) back.insert(pool.claim());
    CHECK(back == std::set<SubmitRecord*>{all[0], all[1], all[2], all[3]});
    CHECK(pool.claim() == nullptr);
}
