// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "nrt/ref.hpp"

using namespace xtc::nrt;

namespace {

struct Thing : Counted<Thing> {
    static inline std::atomic<int> alive{0};
    explicit Thing(int n) : number(n), check(~n) { ++alive; }
    ~Thing() {
        check = number;
        --alive;
    }
    bool is_whole() const { return check == ~number; }
    int number;
    int check;
};

Ref<Thing> make(int n) {
    return Ref<Thing>::adopt(new Thing(n));
}

} // namespace

TEST_CASE("The last reference frees", "[nrt][ref]") {
    {
        Ref<Thing> a = make(1);
        Ref<Thing> b = a;
        Ref<Thing> moved = std::move(a);
        CHECK_FALSE(a);
        b = {};
        CHECK(Thing::alive == 1);
        moved = make(2);
        CHECK(Thing::alive == 1);
        Thing* raw = moved.give();
        CHECK(Thing::alive == 1);
        Ref<Thing> again = Ref<Thing>::share(raw);
        raw->release();
        CHECK(again->number == 2);
    }
    CHECK(Thing::alive == 0);
}

TEST_CASE("A slot holds one reference and gives out more", "[nrt][ref]") {
    {
        SharedSlot<Thing> slot{make(1)};
        Ref<Thing> one = slot.load();
        CHECK(one->number == 1);
        slot.replace(make(2));
        CHECK(Thing::alive == 2);
        one = {};
        CHECK(Thing::alive == 1);
        CHECK(slot.load()->number == 2);
        slot.replace({});
        CHECK(Thing::alive == 0);
        CHECK_FALSE(slot.load());
        slot.replace(make(3));
    }
    CHECK(Thing::alive == 0);
}

TEST_CASE("Readers of a slot never see what a replacement freed, and nothing is left",
          "[nrt][ref][threads]") {
    std::atomic<int> broken{0};
    {
        SharedSlot<Thing> slot{make(0)};
        std::atomic<bool> go_on{true};
        std::vector<std::thread> readers;
        for (int r = 0; r < 3; ++r)
            readers.emplace_back([&] {
                while (go_on.load()) {
                    const Ref<Thing> seen = slot.load();
                    if (seen && !seen->is_whole()) ++broken;
                }
            });
        for (int w = 0; w < 2; ++w)
            readers.emplace_back([&, w] {
                for (int i = 0; i < 20'000; ++i) slot.replace(i % 7 == 0 ? Ref<Thing>() : make(i * 2 + w));
            });
        for (size_t w = 3; w < readers.size(); ++w) readers[w].join();
        go_on = false;
        for (size_t r = 0; r < 3; ++r) readers[r].join();
    }
    CHECK(broken == 0);
    CHECK(Thing::alive == 0);
}
