// SPDX-License-Identifier: ISC
//
// An oracle that can not fail proves nothing: each case feeds it a history that is wrong in one way.
#include "check_batch.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace xtc::sim;

namespace {

BatchRules async_rules() {
    BatchRules rules;
    rules.async = true;
    rules.capacity = 4;
    rules.max_active = 2;
    rules.units = 10;
    rules.mt_queue_cap = 2;
    rules.exec_timeout_ns = 100;
    return rules;
}

// Speaks for a group, in the order in which a correct one would speak.
struct Story {
    explicit Story(const BatchRules& rules = async_rules()) : oracle(rules, complaints) {}

    Complaints complaints;
    BatchOracle oracle;
    uint64_t last_op = 0;
    std::vector<xtc_batch_item_t> items;

    void submit(uint64_t handle, uint64_t charge = 1, bool mt = false) {
        oracle.submitted(mt, charge, XTC_OK, handle);
    }
    void vector(const std::vector<uint64_t>& handles) {
        items.clear();
        for (const uint64_t handle : handles) items.push_back({handle, nullptr});
        oracle.vector(items);
    }
    void step(const std::vector<uint64_t>& handles, const std::vector<int>& states, int code = 0) {
        oracle.entered();
        vector(handles);
        results(states, code);
        oracle.left();
    }
    void results(const std::vector<int>& states, int code = 0) {
        std::vector<xtc_batch_result_t> results;
        for (const int state : states) results.push_back({state, XTC_E_IO});
        oracle.results(results, code);
    }
    uint64_t launch(const std::vector<uint64_t>& handles, int kind = XTC_BATCH_EXEC_FUTURE, int64_t now = 0) {
        oracle.entered();
        vector(handles);
        oracle.launched(++last_op, kind, now);
        oracle.left();
        return last_op;
    }
    void collect(uint64_t op, int status, const std::vector<int>& states, int64_t now = 50) {
        oracle.entered();
        oracle.collected(op, items, status, now);
        results(states);
        oracle.left();
    }
    void complete(uint64_t handle, int outcome) {
        oracle.entered();
        oracle.completed(handle, outcome);
        oracle.left();
    }
    std::string said() const { return complaints.none() ? "" : complaints.texts()[0]; }
    bool complained_of(const std::string& words) const {
        for (const std::string& text : complaints.texts()) {
            if (text.find(words) != std::string::npos) return true;
        }
        return false;
    }
};

} // namespace

TEST_CASE("batch oracle: a correct history of every kind passes") {
    Story story;
    story.submit(1);
    story.submit(2, 9, true);
    story.submit(3);
    const uint64_t first = story.launch({1, 2});
    story.oracle.device_finished(first);
    story.collect(first, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE, XTC_BATCH_BLOCKED});
    story.complete(1, XTC_OK);
    const uint64_t second = story.launch({}, XTC_BATCH_EXEC_FUTURE); // no: an empty vector is wrong
    CHECK(story.complained_of("empty"));
    static_cast<void>(second);

    Story good;
    good.submit(1);
    good.submit(2, 9, true);
    good.submit(3);
    const uint64_t op = good.launch({1, 2});
    good.oracle.cancelled(false, 1, XTC_OK, 0);
    good.oracle.hinted(1);
    good.oracle.device_finished(op);
    good.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE, XTC_BATCH_BLOCKED});
    good.complete(1, XTC_E_ABORTED);
    good.oracle.resumed(false, 2, XTC_OK);
    const uint64_t late = good.launch({2}, XTC_BATCH_EXEC_FENCE, 1000);
    good.collect(late, XTC_BATCH_EXEC_TIMEOUT, {XTC_BATCH_CONTINUE}, 1100);
    good.complete(2, XTC_E_AGAIN);
    const uint64_t inline_op = good.launch({3}, XTC_BATCH_EXEC_SYNC);
    good.collect(inline_op, XTC_BATCH_EXEC_OK, {XTC_BATCH_ERROR});
    good.complete(3, XTC_E_IO);
    good.oracle.closed(XTC_BATCH_DRAIN, XTC_OK, 0);
    xtc_batch_stats_t stats{};
    stats.iterations = stats.completed = 0;
    stats.iterations = 3;
    stats.total_members = 4;
    stats.max_vector = 2;
    stats.cancelled = 1;
    stats.failed = 2;
    xtc_batch_async_stats_t async_stats{};
    async_stats.offloads = 2;
    async_stats.offload_timeouts = 1;
    good.oracle.finished(stats, async_stats);
    good.oracle.destroyed(XTC_OK);
    CHECK(good.said() == "");
}

TEST_CASE("batch oracle: each planted fault is caught") {
    struct Fault {
        const char* words;
        std::function<void(Story&)> plant;
    };
    const std::vector<Fault> faults = {
        {"ended request 1 completed",
         [](Story& s) {
             s.submit(1);
             s.step({1}, {XTC_BATCH_DONE});
             s.complete(1, XTC_OK);
             s.complete(1, XTC_OK);
         }},
        {"unknown request 5 completed", [](Story& s) { s.complete(5, XTC_OK); }},
        {"never completed",
         [](Story& s) {
             s.submit(1);
             s.oracle.finished({}, {});
         }},
        {"which nothing explains",
         [](Story& s) {
             s.submit(1);
             s.complete(1, XTC_E_ABORTED);
         }},
        {"which nothing explains",
         [](Story& s) {
             s.submit(1);
             s.step({1}, {XTC_BATCH_DONE});
             s.complete(1, XTC_E_ABORTED);
         }},
        {"which nothing explains", // cancelled before the results were recorded
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1});
             s.oracle.cancelled(false, 1, XTC_OK, 0);
             s.oracle.device_finished(op);
             s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE});
             s.complete(1, XTC_OK);
         }},
        {"which nothing explains", // the timeout rule
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1});
             s.collect(op, XTC_BATCH_EXEC_TIMEOUT, {XTC_BATCH_CONTINUE}, 100);
             s.complete(1, XTC_E_INTERNAL);
         }},
        {"a vector of 3",
         [](Story& s) {
             for (uint64_t h = 1; h <= 3; h++) s.submit(h);
             s.vector({1, 2, 3});
         }},
        {"units in use",
         [](Story& s) {
             s.submit(1, 6);
             s.submit(2, 5);
             s.vector({1, 2});
         }},
        {"twice in one vector",
         [](Story& s) {
             s.submit(1);
             s.vector({1, 1});
         }},
        {"overtaken",
         [](Story& s) {
             s.submit(1, 9);
             s.submit(2, 1);
             s.vector({2});
         }},
        {"left out",
         [](Story& s) {
             s.submit(1);
             s.submit(2);
             s.step({1, 2}, {XTC_BATCH_CONTINUE, XTC_BATCH_CONTINUE});
             s.vector({2});
         }},
        {"blocked request 1",
         [](Story& s) {
             s.submit(1);
             s.step({1}, {XTC_BATCH_BLOCKED});
             s.vector({1});
         }},
        {"cancelled request 1 in a vector",
         [](Story& s) {
             s.submit(1);
             s.oracle.cancelled(false, 1, XTC_OK, 0);
             s.vector({1});
         }},
        {"in a vector after its cancel",
         [](Story& s) {
             s.submit(1);
             s.oracle.cancelled(true, 1, XTC_OK, 0);
             s.step({1}, {XTC_BATCH_CONTINUE});
         }},
        {"ended request 1 in a vector",
         [](Story& s) {
             s.submit(1);
             s.step({1}, {XTC_BATCH_DONE});
             s.complete(1, XTC_OK);
             s.vector({1});
         }},
        {"not completed before the next vector",
         [](Story& s) {
             s.submit(1);
             s.submit(2);
             s.step({1}, {XTC_BATCH_DONE});
             s.vector({2});
         }},
        {"may still run",
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1});
             s.collect(op, XTC_BATCH_EXEC_TIMEOUT, {XTC_BATCH_CONTINUE}, 100);
             s.vector({1});
         }},
        {"is outstanding",
         [](Story& s) {
             s.submit(1);
             s.submit(2);
             s.launch({1});
             s.vector({2});
         }},
        {"before its operation was collected",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.cancelled(false, 1, XTC_OK, 0);
             s.complete(1, XTC_E_ABORTED);
         }},
        {"collected as done while it runs",
         [](Story& s) {
             s.submit(1);
             s.collect(s.launch({1}), XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE});
         }},
        {"timed out after 99",
         [](Story& s) {
             s.submit(1);
             s.collect(s.launch({1}), XTC_BATCH_EXEC_TIMEOUT, {XTC_BATCH_DONE}, 99);
         }},
        {"of kind 4 timed out",
         [](Story& s) {
             s.submit(1);
             s.collect(s.launch({1}, XTC_BATCH_EXEC_BLOCKING), XTC_BATCH_EXEC_TIMEOUT, {XTC_BATCH_DONE}, 500);
         }},
        {"aborted for no reason",
         [](Story& s) {
             s.submit(1);
             s.oracle.closed(XTC_BATCH_DRAIN, XTC_OK, 0);
             s.collect(s.launch({1}), XTC_BATCH_EXEC_ABORTED, {XTC_BATCH_DONE});
         }},
        {"ended with status -7",
         [](Story& s) {
             s.submit(1);
             s.collect(s.launch({1}), XTC_E_RESOURCE, {XTC_BATCH_DONE});
         }},
        {"failed with -12, collected as done",
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1});
             s.oracle.device_finished(op, XTC_E_IO);
             s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE});
         }},
        {"a bad token",
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1}, XTC_BATCH_EXEC_FENCE);
             s.oracle.unawaitable(op, XTC_E_INVAL);
             s.oracle.device_finished(op);
             s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE});
         }},
        {"collected twice",
         [](Story& s) {
             s.submit(1);
             const uint64_t op = s.launch({1});
             s.oracle.closed(XTC_BATCH_CANCEL, XTC_OK, 0);
             s.collect(op, XTC_BATCH_EXEC_ABORTED, {XTC_BATCH_DONE});
             s.collect(op, XTC_BATCH_EXEC_ABORTED, {XTC_BATCH_DONE});
         }},
        {"collected with another vector",
         [](Story& s) {
             s.submit(1);
             s.submit(2);
             const uint64_t op = s.launch({1, 2});
             s.oracle.device_finished(op);
             std::swap(s.items[0], s.items[1]);
             s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE, XTC_BATCH_DONE});
         }},
        {"never collected",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.finished({}, {});
         }},
        {"which nobody cancelled",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.hinted(1);
         }},
        {"two hints",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.cancelled(true, 1, XTC_OK, 0);
             s.oracle.hinted(1);
             s.oracle.hinted(1);
         }},
        {"which has no operation",
         [](Story& s) {
             s.submit(1);
             s.oracle.hinted(1);
         }},
        {"inside another",
         [](Story& s) {
             s.oracle.entered();
             s.oracle.entered();
         }},
        {"inside a callback answered 0",
         [](Story& s) {
             s.oracle.entered();
             s.submit(1);
         }},
        {"outside any callback", [](Story& s) { s.oracle.closed(XTC_BATCH_DRAIN, XTC_E_DEADLK, 0); }},
        {"a closed group accepted",
         [](Story& s) {
             s.oracle.closed(XTC_BATCH_DRAIN, XTC_OK, 0);
             s.submit(1, 1, true);
         }},
        {"handle 3 after 4",
         [](Story& s) {
             s.submit(4);
             s.submit(3);
         }},
        {"beyond capacity",
         [](Story& s) {
             for (uint64_t h = 1; h <= 5; h++) s.submit(h);
         }},
        {"more than slots and hand-ins",
         [](Story& s) {
             for (uint64_t h = 1; h <= 7; h++) s.submit(h, 1, true);
         }},
        {"refused with 4 slots free", [](Story& s) { s.oracle.submitted(false, 1, XTC_E_AGAIN, 0); }},
        {"refused with 0 hand-ins", [](Story& s) { s.oracle.submitted(true, 1, XTC_E_AGAIN, 0); }},
        {"was out of range", [](Story& s) { s.oracle.submitted(false, 10, XTC_E_RANGE, 0); }},
        {"was accepted", [](Story& s) { s.submit(1, 11); }},
        {"cancel accepted the ended", [](Story& s) { s.oracle.cancelled(false, 9, XTC_OK, 0); }},
        {"cancel did not know",
         [](Story& s) {
             s.submit(1);
             s.oracle.cancelled(false, 1, XTC_E_INVAL, 0);
         }},
        {"a vector after the driver was killed",
         [](Story& s) {
             s.submit(1);
             s.oracle.driver_killed();
             s.vector({1});
         }},
        {"was cancelled long ago",
         [](Story& s) {
             s.submit(1);
             s.oracle.cancelled(true, 1, XTC_OK, 5);
             s.oracle.overdue(1'000'000'006);
         }},
        {"outlived its timeout",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.overdue(1'000'000'101);
         }},
        {"outlived a close",
         [](Story& s) {
             s.submit(1);
             s.launch({1});
             s.oracle.closed(XTC_BATCH_CANCEL, XTC_OK, 0);
             s.oracle.overdue(1'000'000'001);
         }},
        {"an open group was destroyed", [](Story& s) { s.oracle.destroyed(XTC_OK); }},
        {"destroyed with 1 requests",
         [](Story& s) {
             s.submit(1);
             s.oracle.closed(XTC_BATCH_DRAIN, XTC_OK, 0);
             s.oracle.destroyed(XTC_OK);
         }},
        {"reserved_units at the end",
         [](Story& s) {
             xtc_batch_stats_t stats{};
             stats.reserved_units = 1;
             s.oracle.finished(stats, {});
         }},
        {"completed is 1",
         [](Story& s) {
             xtc_batch_stats_t stats{};
             stats.completed = 1;
             s.oracle.finished(stats, {});
         }},
        {"cancelled is 0",
         [](Story& s) {
             s.submit(1);
             s.oracle.cancelled(false, 1, XTC_OK, 0);
             s.complete(1, XTC_E_ABORTED);
             xtc_batch_stats_t stats{};
             stats.failed = 1;
             s.oracle.finished(stats, {});
         }},
        {"mt_rejections",
         [](Story& s) {
             xtc_batch_async_stats_t stats{};
             stats.mt_rejections = 1;
             s.oracle.finished({}, stats);
         }},
        {"units reserved",
         [](Story& s) {
             xtc_batch_stats_t stats{};
             stats.reserved_units = 11;
             s.oracle.snapshot(stats);
         }},
        {"counted, 0 alive",
         [](Story& s) {
             xtc_batch_stats_t stats{};
             stats.queued = 1;
             s.oracle.snapshot(stats);
         }},
    };
    for (const Fault& fault : faults) {
        Story story;
        fault.plant(story);
        INFO("expected: " << fault.words << "; said: " << story.said());
        CHECK(story.complained_of(fault.words));
    }
}

TEST_CASE("batch oracle: what is allowed but rare is not a fault") {
    const std::vector<std::function<void(Story&)>> histories = {
        // A cancel from another loop that comes too late for this result.
        [](Story& s) {
            s.submit(1);
            const uint64_t op = s.launch({1});
            s.oracle.cancelled(true, 1, XTC_OK, 0);
            s.oracle.device_finished(op);
            s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_DONE});
            s.complete(1, XTC_OK);
        },
        // DONE was recorded before the close.
        [](Story& s) {
            s.submit(1);
            s.step({1}, {XTC_BATCH_DONE});
            s.oracle.closed(XTC_BATCH_CANCEL, XTC_OK, 0);
            s.complete(1, XTC_OK);
        },
        // A cancelled request does not hold up the younger.
        [](Story& s) {
            s.submit(1);
            s.submit(2);
            s.oracle.cancelled(false, 1, XTC_OK, 0);
            s.complete(1, XTC_E_ABORTED);
            s.step({2}, {XTC_BATCH_CONTINUE});
        },
        // The driver was killed.
        [](Story& s) {
            s.submit(1);
            s.oracle.driver_killed();
            s.complete(1, XTC_E_INTERNAL);
        },
        // A closure the pool refused.
        [](Story& s) {
            s.submit(1);
            const uint64_t op = s.launch({1}, XTC_BATCH_EXEC_BLOCKING);
            s.oracle.unawaitable(op, XTC_E_RESOURCE);
            s.collect(op, XTC_E_RESOURCE, {XTC_BATCH_DONE});
            s.complete(1, XTC_E_RESOURCE);
        },
        // A resume while the operation is out counts for the BLOCKED that follows.
        [](Story& s) {
            s.submit(1);
            const uint64_t op = s.launch({1});
            s.oracle.resumed(false, 1, XTC_OK);
            s.oracle.device_finished(op);
            s.collect(op, XTC_BATCH_EXEC_OK, {XTC_BATCH_BLOCKED});
            s.launch({1});
        },
        // drain_for cancels when its time is up.
        [](Story& s) {
            s.submit(1);
            s.oracle.may_be_cancelled();
            s.complete(1, XTC_E_ABORTED);
        },
        // The handle of the request that completes right now is no longer known.
        [](Story& s) {
            s.submit(1);
            s.step({1}, {XTC_BATCH_DONE});
            s.oracle.entered();
            s.oracle.completed(1, XTC_OK);
            s.oracle.cancelled(true, 1, XTC_OK, 0);
            s.oracle.left();
        },
    };
    for (size_t i = 0; i < histories.size(); i++) {
        Story story;
        histories[i](story);
        INFO("history " << i);
        CHECK(story.said() == "");
    }
}
