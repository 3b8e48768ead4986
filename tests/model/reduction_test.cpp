// SPDX-License-Identifier: ISC
// What the explorer leaves out is the same as something it explores: on small random programs it finds the
// same executions as a search through every order of everything, and each once.
#include <catch2/catch.hpp>

#include "base/atomic.hpp"
#include "base/prng.hpp"
#include "model/explorer.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace xtc::model;

namespace {

struct Step {
    enum Kind { load, store, add, exchange, cas, weak_cas, fence, wait, wait_with_timeout, wake, kinds };
    int kind;
    int place;
    int value;
    std::memory_order order;
};

using Program = std::vector<std::vector<Step>>;

struct Shared {
    xtc::atomic<uint32_t> place[2]{};
};

Program draw(xtc::Prng& random, int threads, int steps, bool with_futex) {
    static constexpr std::memory_order orders[] = {std::memory_order_relaxed, std::memory_order_acquire,
                                                   std::memory_order_release, std::memory_order_acq_rel,
                                                   std::memory_order_seq_cst};
    Program program(static_cast<size_t>(threads));
    for (auto& thread : program)
        for (int i = 0; i < steps; ++i) {
            Step s{};
            s.kind = static_cast<int>(random.below(with_futex ? Step::kinds : Step::wait));
            s.place = static_cast<int>(random.below(2));
            s.value = static_cast<int>(random.below(3));
            s.order = orders[random.below(5)];
            if (s.kind == Step::load && s.order != std::memory_order_seq_cst &&
                s.order != std::memory_order_relaxed)
                s.order = std::memory_order_acquire;
            if (s.kind == Step::store && s.order != std::memory_order_seq_cst &&
                s.order != std::memory_order_relaxed)
                s.order = std::memory_order_release;
            thread.push_back(s);
        }
    return program;
}

void run_step(Shared& shared, const Step& s, std::string& seen) {
    xtc::atomic<uint32_t>& place = shared.place[s.place];
    auto value = static_cast<uint32_t>(s.value);
    switch (s.kind) {
    case Step::load:
        seen += std::to_string(place.load(s.order));
        break;
    case Step::store:
        place.store(value, s.order);
        break;
    case Step::add:
        seen += std::to_string(place.fetch_add(value, s.order));
        break;
    case Step::exchange:
        seen += std::to_string(place.exchange(value, s.order));
        break;
    case Step::cas:
    case Step::weak_cas: {
        uint32_t expected = value;
        const bool done = s.kind == Step::cas ? place.compare_exchange_strong(expected, value + 1, s.order)
                                              : place.compare_exchange_weak(expected, value + 1, s.order);
        seen += done ? 'y' : static_cast<char>('n' + expected);
        break;
    }
    case Step::fence:
        fence(s.order);
        break;
    case Step::wait:
        seen += syscall(SYS_futex, &place, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0) == 0 ? "w" : "c";
        break;
    case Step::wait_with_timeout: {
        timespec soon{};
        if (syscall(SYS_futex, &place, FUTEX_WAIT_PRIVATE, value, &soon, nullptr, 0) == 0)
            seen += "w";
        else
            seen += errno == ETIMEDOUT ? "t" : "c";
        break;
    }
    case Step::wake:
        seen += std::to_string(syscall(SYS_futex, &place, FUTEX_WAKE_PRIVATE, value, nullptr, nullptr, 0));
        break;
    }
}

Result run(const Program& program, bool reduce, unsigned spurious) {
    Plan plan;
    plan.reduce = reduce;
    plan.keep_graphs = true;
    plan.spurious_failures = spurious;
    plan.most_executions = 400'000;
    return explore(plan, [&program](Scene& scene) {
        Shared& shared = scene.make<Shared>();
        static constexpr const char* names[] = {"one", "two", "three"};
        for (size_t t = 0; t < program.size(); ++t) {
            scene.may_sleep_for_ever(names[t]);
            scene.thread(names[t], [&program, &shared, t] {
                std::string seen;
                for (const Step& s : program[t]) run_step(shared, s, seen);
                outcome(seen += static_cast<char>('A' + t));
            });
            scene.may_sleep_for_ever(names[t]);
        }
    });
}

void compare(uint64_t seed, int threads, int steps, bool with_futex, unsigned spurious) {
    xtc::Prng random(seed);
    int compared = 0;
    for (int i = 0; i < 150; ++i) {
        const Program program = draw(random, threads, steps, with_futex);
        const Result all = run(program, false, spurious);
        if (!all.is_complete) continue;
        const Result few = run(program, true, spurious);
        ++compared;
        std::string text;
        for (const auto& thread : program) {
            for (const Step& s : thread)
                text += std::to_string(s.kind) + "@" + std::to_string(s.place) + "=" +
                        std::to_string(s.value) + "/" + std::to_string(static_cast<int>(s.order)) + " ";
            text += "\n";
        }
        INFO("program " << i << " of seed " << seed << "\n" << text << few.failure << few.trace);
        INFO("all: " << all.executions << " with " << all.graphs.size() << " graphs; few: " << few.executions
                     << " with " << few.graphs.size());
        REQUIRE(few.is_complete);
        REQUIRE(few.failure == all.failure);
        REQUIRE(few.graphs == all.graphs);
        if (!with_futex) REQUIRE(few.executions == few.graphs.size());
    }
    CHECK(compared > 100);
}

} // namespace

TEST_CASE("the reduced search finds the executions of the full one: two threads") {
    compare(1, 2, 4, false, 0);
}

TEST_CASE("the reduced search finds the executions of the full one: three threads") {
    compare(2, 3, 2, false, 0);
}

TEST_CASE(
    "the reduced search finds the executions of the full one: compare-exchanges that fail for no reason") {
    compare(3, 2, 3, false, 1);
}

TEST_CASE("the reduced search finds the executions of the full one: futexes") {
    compare(4, 2, 4, true, 0);
    compare(5, 3, 2, true, 0);
}
