// SPDX-License-Identifier: ISC
// The classical small programs: what C++20 allows is seen, what it forbids is not.
#include <catch2/catch.hpp>

#include "base/atomic.hpp"
#include "model/explorer.hpp"

#include <memory>

using namespace xtc::model;
using xtc::atomic;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

struct Shared {
    atomic<int> x{0}, y{0}, z{0};
    int a = -1, b = -1, c = -1, d = -1; // what threads read; looked at in the end
    int plain = 0;
};

std::string digits(std::initializer_list<int> numbers) {
    std::string text;
    for (const int n : numbers) text += n < 0 ? "-" : std::to_string(n);
    return text;
}

using Outcomes = std::set<std::string>;

// Runs two to four threads on one Shared; the outcome of an execution is what `look` makes of it.
Result run(std::vector<std::function<void(Shared&)>> threads, std::function<std::string(Shared&)> look,
           Plan plan = {}) {
    return explore(plan, [&](Scene& scene) {
        Shared& s = scene.make<Shared>();
        static constexpr const char* names[] = {"one", "two", "three", "four"};
        for (size_t i = 0; i < threads.size(); ++i) {
            auto* body = &threads[i];
            scene.thread(names[i], [body, &s] { (*body)(s); });
        }
        scene.at_end([&] { outcome(look(s)); });
    });
}

Outcomes outcomes(std::vector<std::function<void(Shared&)>> threads,
                  std::function<std::string(Shared&)> look) {
    const Result r = run(std::move(threads), std::move(look));
    INFO(r.failure << "\n" << r.trace);
    CHECK(r.is_complete);
    CHECK(r.failure.empty());
    return r.outcomes;
}

std::string ab(Shared& s) {
    return digits({s.a, s.b});
}

Outcomes store_buffering(std::memory_order order) {
    return outcomes({[=](Shared& s) {
                         s.x.store(1, order == acq_rel ? release : order);
                         s.a = s.y.load(order == acq_rel ? acquire : order);
                     },
                     [=](Shared& s) {
                         s.y.store(1, order == acq_rel ? release : order);
                         s.b = s.x.load(order == acq_rel ? acquire : order);
                     }},
                    ab);
}

} // namespace

TEST_CASE("store buffering: both threads read the old value, unless all is sequentially consistent") {
    CHECK(store_buffering(relaxed) == Outcomes{"00", "01", "10", "11"});
    CHECK(store_buffering(acq_rel) == Outcomes{"00", "01", "10", "11"});
    CHECK(store_buffering(seq_cst) == Outcomes{"01", "10", "11"});
}

TEST_CASE("store buffering: fences between store and load forbid it, one fence does not") {
    const auto with = [](bool first, bool second) {
        return outcomes({[=](Shared& s) {
                             s.x.store(1, relaxed);
                             if (first) fence(seq_cst);
                             s.a = s.y.load(relaxed);
                         },
                         [=](Shared& s) {
                             s.y.store(1, relaxed);
                             if (second) fence(seq_cst);
                             s.b = s.x.load(relaxed);
                         }},
                        ab);
    };
    CHECK(with(true, true) == Outcomes{"01", "10", "11"});
    CHECK(with(true, false).contains("00"));
}

TEST_CASE(
    "store buffering: a fence on one side and sequentially consistent operations on the other forbid it") {
    CHECK(outcomes({[](Shared& s) {
                        s.x.store(1, relaxed);
                        fence(seq_cst);
                        s.a = s.y.load(relaxed);
                    },
                    [](Shared& s) {
                        s.y.store(1, seq_cst);
                        s.b = s.x.load(seq_cst);
                    }},
                   ab) == Outcomes{"01", "10", "11"});
}

TEST_CASE("message passing: release and acquire carry what was written before, relaxed does not") {
    const auto with = [](std::memory_order store, std::memory_order load) {
        return outcomes({[=](Shared& s) {
                             s.x.store(1, relaxed);
                             s.y.store(1, store);
                         },
                         [=](Shared& s) {
                             s.a = s.y.load(load);
                             s.b = s.x.load(relaxed);
                         }},
                        ab);
    };
    CHECK(with(release, acquire) == Outcomes{"00", "01", "11"});
    CHECK(with(relaxed, acquire) == Outcomes{"00", "01", "10", "11"});
    CHECK(with(release, relaxed) == Outcomes{"00", "01", "10", "11"});
}

TEST_CASE("message passing: fences do what the orders do") {
    CHECK(outcomes({[](Shared& s) {
                        s.x.store(1, relaxed);
                        fence(release);
                        s.y.store(1, relaxed);
                    },
                    [](Shared& s) {
                        s.a = s.y.load(relaxed);
                        fence(acquire);
                        s.b = s.x.load(relaxed);
                    }},
                   ab) == Outcomes{"00", "01", "11"});
}

// What holds on x86 whatever one writes, and not on ARM: the later plain store may be seen first.
TEST_CASE("a relaxed store is not held behind a sequentially consistent one, nor its reader's load of that") {
    CHECK(outcomes({[](Shared& s) {
                        s.x.store(1, seq_cst);
                        s.y.store(1, relaxed);
                    },
                    [](Shared& s) {
                        s.a = s.y.load(relaxed);
                        s.b = s.x.load(seq_cst);
                    }},
                   ab) == Outcomes{"00", "01", "10", "11"});
}

TEST_CASE("a data race on plain memory is found, and a synchronised access is none") {
    const auto with = [](std::memory_order store) {
        return run({[=](Shared& s) {
                        s.plain = 1;
                        s.y.store(1, store);
                    },
                    [=](Shared& s) {
                        if (s.y.load(acquire) == 1) s.a = s.plain;
                    }},
                   ab);
    };
    CHECK(with(release).failure.empty());
    CHECK(with(release).outcomes == Outcomes{"--", "1-"});
    CHECK_THAT(with(relaxed).failure, Catch::StartsWith("data race"));
}

TEST_CASE("coherence: two reads of one place do not go back, and all see one order of its stores") {
    CHECK(outcomes({[](Shared& s) { s.x.store(1, relaxed); },
                    [](Shared& s) {
                        s.a = s.x.load(relaxed);
                        s.b = s.x.load(relaxed);
                    }},
                   ab) == Outcomes{"00", "01", "11"});
    const auto seen =
        outcomes({[](Shared& s) { s.x.store(1, relaxed); }, [](Shared& s) { s.x.store(2, relaxed); },
                  [](Shared& s) {
                      s.a = s.x.load(relaxed);
                      s.b = s.x.load(relaxed);
                  },
                  [](Shared& s) {
                      s.c = s.x.load(relaxed);
                      s.d = s.x.load(relaxed);
                  }},
                 [](Shared& s) {
                     return digits({s.a, s.b, s.c, s.d});
                 });
    CHECK(seen.contains("1212"));
    CHECK(seen.contains("0122"));
    CHECK_FALSE(seen.contains("1221"));
    CHECK_FALSE(seen.contains("2112"));
}

TEST_CASE("a store may come before one that was made earlier (2+2W), unless they are ordered") {
    const auto with = [](std::memory_order order) {
        return outcomes({[=](Shared& s) {
                             s.x.store(1, order);
                             s.y.store(2, order);
                         },
                         [=](Shared& s) {
                             s.y.store(1, order);
                             s.x.store(2, order);
                         }},
                        [](Shared& s) {
                            return digits({s.x.load(relaxed), s.y.load(relaxed)});
                        });
    };
    CHECK(with(relaxed) == Outcomes{"11", "12", "21", "22"});
    CHECK(with(release) == Outcomes{"11", "12", "21", "22"});
    CHECK(with(seq_cst) == Outcomes{"12", "21", "22"});
}

TEST_CASE("independent reads of independent writes: two readers may disagree unless all is sequentially "
          "consistent") {
    const auto with = [](std::memory_order store, std::memory_order load) {
        return outcomes({[=](Shared& s) { s.x.store(1, store); }, [=](Shared& s) { s.y.store(1, store); },
                         [=](Shared& s) {
                             s.a = s.x.load(load);
                             s.b = s.y.load(load);
                         },
                         [=](Shared& s) {
                             s.c = s.y.load(load);
                             s.d = s.x.load(load);
                         }},
                        [](Shared& s) {
                            return digits({s.a, s.b, s.c, s.d});
                        })
            .contains("1010");
    };
    CHECK(with(relaxed, relaxed));
    CHECK(with(release, acquire));
    CHECK(with(relaxed, acquire));
    CHECK_FALSE(with(seq_cst, seq_cst));
    CHECK_FALSE(with(relaxed, seq_cst)); // since C++20: reads-before is in the order as well
}

TEST_CASE("read-modify-writes of one place never read the same store") {
    CHECK(outcomes({[](Shared& s) { s.a = s.x.fetch_add(1, relaxed); },
                    [](Shared& s) { s.b = s.x.fetch_add(1, relaxed); },
                    [](Shared& s) { s.c = s.x.fetch_add(1, relaxed); }},
                   [](Shared& s) {
                       return digits({s.x.load()}) + (s.a != s.b && s.b != s.c && s.a != s.c ? "" : "!");
                   }) == Outcomes{"3"});
    CHECK(outcomes({[](Shared& s) {
                        int zero = 0;
                        s.a = s.x.compare_exchange_strong(zero, 1, relaxed) ? 1 : 0;
                    },
                    [](Shared& s) {
                        int zero = 0;
                        s.b = s.x.compare_exchange_strong(zero, 2, relaxed) ? 1 : 0;
                    }},
                   ab) == Outcomes{"01", "10"});
}

TEST_CASE("a release sequence goes on through read-modify-writes and is ended by a plain store") {
    const auto with = [](bool by_store) {
        return outcomes({[](Shared& s) {
                             s.x.store(1, relaxed);
                             s.y.store(1, release);
                         },
                         [=](Shared& s) {
                             if (by_store) {
                                 if (s.y.load(relaxed) == 1) s.y.store(2, relaxed);
                             } else {
                                 int one = 1;
                                 s.y.compare_exchange_strong(one, 2, relaxed);
                             }
                         },
                         [](Shared& s) {
                             s.a = s.y.load(acquire);
                             s.b = s.x.load(relaxed);
                         }},
                        ab);
    };
    CHECK_FALSE(with(false).contains("20"));
    CHECK(with(true).contains("20"));
}

TEST_CASE("load buffering is not shown: a limit of the explorer") {
    CHECK_FALSE(outcomes({[](Shared& s) {
                              s.a = s.x.load(relaxed);
                              s.y.store(1, relaxed);
                          },
                          [](Shared& s) {
                              s.b = s.y.load(relaxed);
                              s.x.store(1, relaxed);
                          }},
                         ab)
                    .contains("11"));
}

TEST_CASE("a weak compare-exchange fails for no reason as often as the plan says") {
    Plan plan;
    plan.spurious_failures = 1;
    const auto body = [](Shared& s) {
        for (s.a = 0;; ++s.a) {
            int zero = 0;
            if (s.x.compare_exchange_weak(zero, 1, relaxed)) return;
        }
    };
    CHECK(run({body}, ab, plan).outcomes == Outcomes{"0-", "1-"});
    CHECK(run({body}, ab).outcomes == Outcomes{"0-"});
}
