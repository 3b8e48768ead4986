// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "nrt/loops.hpp"
#include "nrt/unit.hpp"
#include "support/loops.hpp"
#include "xtc.h"
#include "xtc_async.h"

using namespace xtc::nrt;
using xtc::test::TestExec;

namespace {

constexpr NRT_STATUS kUnset = static_cast<NRT_STATUS>(2047);

class Runs {
public:
    explicit Runs(uint32_t cores = 1) { REQUIRE(Loops::start(nullptr, cores, &loops_) == NRT_SUCCESS); }
    ~Runs() { loops_->stop(); }
    Ref<Unit> unit(uint32_t capacity, uint64_t done_before = 0) const {
        return Unit::make({0, NRTA_XU_COMPUTE, 0}, loops_->exec(), 0, capacity, done_before);
    }

private:
    std::unique_ptr<Loops> loops_;
};

// A job that holds the worker up until it is let go.
struct Gatekeeper {
    std::atomic<bool> entered{false};
    std::atomic<bool> open{false};
    Unit::Job job(NRT_STATUS* result = nullptr) {
        Unit::Job j;
        j.run = [](Unit&, Unit::Job& self, NRT_STATUS fate) {
            auto* keeper = reinterpret_cast<Gatekeeper*>(self.words[0]);
            keeper->entered = true;
            while (!keeper->open) xtc_yield();
            return fate;
        };
        j.result = result;
        j.words[0] = reinterpret_cast<uint64_t>(this);
        return j;
    }
    void await_entry() const {
        while (!entered) std::this_thread::yield();
    }
};

Unit::Job note(std::vector<uint64_t>& into, uint64_t value, NRT_STATUS* result,
               NRT_STATUS answer = NRT_SUCCESS) {
    Unit::Job j;
    j.run = [](Unit&, Unit::Job& self, NRT_STATUS fate) {
        if (fate != NRT_SUCCESS) return fate;
        reinterpret_cast<std::vector<uint64_t>*>(self.words[0])->push_back(self.words[1]);
        return static_cast<NRT_STATUS>(self.words[2]);
    };
    j.result = result;
    j.words[0] = reinterpret_cast<uint64_t>(&into);
    j.words[1] = value;
    j.words[2] = static_cast<uint64_t>(answer);
    return j;
}

} // namespace

TEST_CASE("Requests run in order, each with its number and its status", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(8);
    REQUIRE(unit);
    CHECK(unit->completed() == 0);
    std::vector<uint64_t> order;
    NRT_STATUS results[5];
    for (uint64_t i = 0; i < 5; ++i) {
        nrta_seq_t seq = 0;
        const NRT_STATUS answer = i == 3 ? NRT_EXEC_COMPLETED_WITH_ERR : NRT_SUCCESS;
        CHECK(unit->push(note(order, i, &results[i], answer), &seq) == NRT_SUCCESS);
        CHECK(seq == sequence(unit->id(), i + 1));
    }
    CHECK(unit->wait_for(5) == XTC_OK);
    CHECK(order == std::vector<uint64_t>{0, 1, 2, 3, 4});
    CHECK(results[2] == NRT_SUCCESS);
    CHECK(results[3] == NRT_EXEC_COMPLETED_WITH_ERR);
    CHECK(unit->completed() == 5);
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("A unit takes its capacity, the running request included, and then no more",
          "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(3);
    Gatekeeper keeper;
    std::vector<uint64_t> order;
    nrta_seq_t seq = 0;
    CHECK(unit->push(keeper.job(), &seq) == NRT_SUCCESS);
    keeper.await_entry();
    CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_SUCCESS);
    CHECK(unit->push(note(order, 2, nullptr), &seq) == NRT_SUCCESS);
    nrta_seq_t untouched = 77;
    CHECK(unit->push(note(order, 3, nullptr), &untouched) == NRT_QUEUE_FULL);
    CHECK(untouched == 77);
    CHECK(unit->issued() == 3);
    keeper.open = true;
    CHECK(unit->wait_for(3) == XTC_OK);
    CHECK(unit->push(note(order, 4, nullptr), &seq) == NRT_SUCCESS);
    CHECK(number_of(seq) == 4); // the refused one has used up no number
    CHECK(unit->stop() == XTC_OK);
    CHECK(order == std::vector<uint64_t>{1, 2, 4});
}

TEST_CASE("Stop works off what was accepted and then takes no more", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(100);
    std::vector<uint64_t> order;
    nrta_seq_t seq = 0;
    for (uint64_t i = 0; i < 100; ++i) CHECK(unit->push(note(order, i, nullptr), &seq) == NRT_SUCCESS);
    CHECK(unit->stop() == XTC_OK);
    CHECK(order.size() == 100);
    CHECK(unit->completed() == 100);
    CHECK(unit->push(note(order, 0, nullptr), &seq) == NRT_CLOSED);
}

TEST_CASE("A unit that was never used has nothing to stop", "[nrt][unit]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(4);
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("Numbers go on where an earlier life ended", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(2, 41);
    CHECK(unit->completed() == 41);
    std::vector<uint64_t> order;
    nrta_seq_t seq = 0;
    CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_SUCCESS);
    CHECK(number_of(seq) == 42);
    CHECK(unit->wait_for(42) == XTC_OK);
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("A poisoned unit ends what is queued and takes no more", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(8);
    Gatekeeper keeper;
    std::vector<uint64_t> order;
    NRT_STATUS fatal = kUnset;
    NRT_STATUS behind = kUnset;
    nrta_seq_t seq = 0;
    Unit::Job bad;
    bad.run = [](Unit& unit_of_job, Unit::Job&, NRT_STATUS) {
        unit_of_job.poison();
        return NRT_EXEC_HW_ERR_NC_UE;
    };
    bad.result = &fatal;
    CHECK(unit->push(keeper.job(), &seq) == NRT_SUCCESS);
    CHECK(unit->push(bad, &seq) == NRT_SUCCESS);
    CHECK(unit->push(note(order, 1, &behind), &seq) == NRT_SUCCESS);
    keeper.open = true;
    CHECK(unit->wait_for(3) == XTC_OK);
    CHECK(fatal == NRT_EXEC_HW_ERR_NC_UE);
    CHECK(behind == NRT_EXEC_UNIT_UNRECOVERABLE);
    CHECK(order.empty());
    CHECK(unit->push(note(order, 2, nullptr), &seq) == NRT_EXEC_UNIT_UNRECOVERABLE);
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("A full unit that is lost says that it is lost", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(1);
    Gatekeeper keeper;
    std::vector<uint64_t> order;
    nrta_seq_t seq = 0;
    CHECK(unit->push(keeper.job(), &seq) == NRT_SUCCESS);
    keeper.await_entry();
    CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_QUEUE_FULL);
    unit->poison();
    CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_EXEC_UNIT_UNRECOVERABLE);
    keeper.open = true;
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("Many threads push: every accepted request runs once, in the order of its number",
          "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(4);
    std::vector<uint64_t> order; // written by the worker alone
    constexpr uint64_t kEach = 2000;
    std::atomic<int> odd{0};
    std::vector<std::thread> threads;
    for (uint64_t me = 0; me < 3; ++me)
        threads.emplace_back([&, me] {
            uint64_t before = 0;
            for (uint64_t i = 0; i < kEach; ++i) {
                nrta_seq_t seq = 0;
                NRT_STATUS status;
                while ((status = unit->push(note(order, me * kEach + i, nullptr), &seq)) == NRT_QUEUE_FULL)
                    std::this_thread::yield();
                if (status != NRT_SUCCESS || number_of(seq) <= before) ++odd;
                before = number_of(seq);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(unit->stop() == XTC_OK);
    CHECK(odd == 0);
    CHECK(order.size() == 3 * kEach);
    CHECK(unit->issued() == 3 * kEach);
    std::vector<uint64_t> next{0, 0, 0};
    for (const uint64_t value : order)
        if (value % kEach != next[value / kEach]++) ++odd;
    CHECK(odd == 0);
}

TEST_CASE("Who sees a number completed sees its status", "[nrt][unit][threads]") {
    const Runs runs;
    const Ref<Unit> unit = runs.unit(8);
    std::vector<uint64_t> order;
    int odd = 0;
    for (uint64_t i = 1; i <= 1000; ++i) {
        NRT_STATUS status = kUnset;
        nrta_seq_t seq = 0;
        if (unit->push(note(order, i, &status), &seq) != NRT_SUCCESS) ++odd;
        while (unit->completed() < i) std::this_thread::yield();
        if (status != NRT_SUCCESS) ++odd;
    }
    CHECK(odd == 0);
    CHECK(unit->stop() == XTC_OK);
}

TEST_CASE("A unit that is taken over ends what it accepted in order, on the thread that took it over",
          "[nrt][unit][threads]") {
    TestExec exec(1); // never runs
    const Ref<Unit> unit = Unit::make({0, NRTA_XU_COMPUTE, 0}, exec, 0, 8);
    struct Seen {
        std::vector<NRT_STATUS> fates;
        std::vector<std::thread::id> threads;
    } seen;
    NRT_STATUS results[3] = {kUnset, kUnset, kUnset};
    for (NRT_STATUS& result : results) {
        Unit::Job job;
        job.run = [](Unit&, Unit::Job& self, NRT_STATUS fate) {
            auto* s = reinterpret_cast<Seen*>(self.words[0]);
            s->fates.push_back(fate);
            s->threads.push_back(std::this_thread::get_id());
            return fate;
        };
        job.result = &result;
        job.words[0] = reinterpret_cast<uint64_t>(&seen);
        nrta_seq_t seq = 0;
        CHECK(unit->push(job, &seq) == NRT_SUCCESS);
    }
    unit->take_over();
    CHECK(seen.fates == std::vector<NRT_STATUS>(3, NRT_CLOSED));
    CHECK(seen.threads == std::vector<std::thread::id>(3, std::this_thread::get_id()));
    for (const NRT_STATUS result : results) CHECK(result == NRT_CLOSED);
    CHECK(unit->completed() == 3);
    nrta_seq_t seq = 0;
    std::vector<uint64_t> order;
    CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_CLOSED);
    CHECK(unit->has_worker());
    exec.run(); // its worker begins, finds that it is not needed and ends
    CHECK_FALSE(unit->has_worker());
    CHECK(seen.fates.size() == 3);
}

TEST_CASE("The job in which the worker stands when its unit is taken over is not finished twice",
          "[nrt][unit][threads]") {
    TestExec exec(1);
    const Ref<Unit> unit = Unit::make({0, NRTA_XU_COMPUTE, 0}, exec, 0, 8);
    struct Seen {
        xtc_exec_t* exec;
        std::vector<NRT_STATUS> fates;
        bool came_back = false;
    } seen{exec, {}};
    NRT_STATUS result = kUnset;
    Unit::Job job;
    job.run = [](Unit& of, Unit::Job& self, NRT_STATUS fate) {
        auto* s = reinterpret_cast<Seen*>(self.words[0]);
        s->fates.push_back(fate);
        if (of.is_taken_over()) return fate;
        CHECK(xtc_exec_stop(s->exec) == XTC_OK);
        while (!of.is_taken_over()) xtc_proc_sleep(xtc::test::kMs);
        s->came_back = true;
        return NRT_FAILURE;
    };
    job.result = &result;
    job.words[0] = reinterpret_cast<uint64_t>(&seen);
    nrta_seq_t seq = 0;
    CHECK(unit->push(job, &seq) == NRT_SUCCESS);
    exec.run();
    CHECK(result == kUnset);
    unit->take_over();
    CHECK(result == NRT_CLOSED);
    CHECK(unit->completed() == 1);
    exec.run();
    CHECK(seen.came_back);
    CHECK(result == NRT_CLOSED);
    CHECK(unit->completed() == 1);
    CHECK(seen.fates == std::vector<NRT_STATUS>{NRT_SUCCESS, NRT_CLOSED});
    CHECK_FALSE(unit->has_worker());
}

TEST_CASE("A worker that is dropped with its loop is no worker any more", "[nrt][unit]") {
    Ref<Unit> unit;
    {
        TestExec exec(1);
        unit = Unit::make({0, NRTA_XU_COMPUTE, 0}, exec, 0, 8);
        std::vector<uint64_t> order;
        nrta_seq_t seq = 0;
        exec.proc(0, [&] {
            CHECK(unit->push(note(order, 1, nullptr), &seq) == NRT_SUCCESS);
            CHECK(unit->wait_for(1) == XTC_OK);
            CHECK(xtc_exec_stop(exec) == XTC_OK);
        });
        exec.run();
        CHECK(unit->has_worker());
    }
    CHECK_FALSE(unit->has_worker());
}
