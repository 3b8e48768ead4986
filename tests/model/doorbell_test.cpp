// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "loop/doorbell.hpp"
#include "models.hpp"
#include "seam/driver.h"

using namespace xtc::model;
using xtc::Doorbell;

namespace {

struct Bell {
    Doorbell bell;
    uint32_t work[3] = {}; // of each ringer, left before its rings
    Tally sleeps;
};

// As the drivers' wait does it.
void nap(Bell& b, Doorbell::Ear ear) {
    if (b.bell.take()) return;
    b.sleeps.add();
    if (b.bell.listen(ear)) {
        if (ear == Doorbell::Ear::futex) {
            b.bell.sleep(XTC_UNTIL_NEVER);
        } else {
            wait_readable(b.bell.eventfd());
            b.bell.drain();
        }
    }
    b.bell.stop_listening();
    b.bell.take();
}

void own(Bell& b, Doorbell::Ear ear, uint32_t all) {
    while (b.bell.heard() != all) nap(b, ear);
    check(b.work[0] + b.work[1] + b.work[2] == all, "the work of a ring is not there");
}

constexpr bool any_calls = false;

Model ringers(Doorbell::Ear ear, std::vector<uint32_t> rings, bool few_calls = true) {
    return [=](Scene& scene) {
        static constexpr const char* names[] = {"ringer 1", "ringer 2", "ringer 3"};
        Bell& b = scene.make<Bell>();
        if (ear == Doorbell::Ear::eventfd) b.bell.eventfd();
        scene.name(b.bell, {"count", "listening", "written"});
        uint32_t all = 0;
        for (const uint32_t n : rings) all += n;
        scene.thread("owner", [&b, ear, all] { own(b, ear, all); });
        for (size_t i = 0; i < rings.size(); ++i) {
            const uint32_t* n = &rings[i];
            scene.thread(names[i], [&b, n, i] {
                b.work[i] = *n;
                for (uint32_t k = 0; k < *n; ++k) b.bell.ring();
            });
        }
        scene.at_end([&b, few_calls] {
            check(!few_calls || wake_calls() <= b.sleeps.value(), "more than one system call for a sleep");
        });
    };
}

constexpr auto futex = Doorbell::Ear::futex;
constexpr auto eventfd = Doorbell::Ear::eventfd;

} // namespace

TEST_CASE("doorbell: no ring is lost, and a sleep costs the ringers one system call") {
    check_holds("doorbell, futex, one ringer, three rings", ringers(futex, {3}));
    check_holds("doorbell, futex, two ringers", ringers(futex, {1, 1}));
    check_holds("doorbell, futex, two ringers, three rings", ringers(futex, {1, 2}));
    check_holds("doorbell, eventfd, one ringer, two rings", ringers(eventfd, {2}));
    check_holds("doorbell, eventfd, two ringers", ringers(eventfd, {1, 1}));
}

// The ringer used to take the word by exchange. Held up between its look and that, it took the word of the
// owner's next sleep, woke nobody, as the owner was not in the kernel yet, and the next ring found no ear.
TEST_CASE("doorbell: a ringer that takes whatever word it finds is caught") {
    const Fault by_exchange = Fault::blind("Doorbell::ring");
    check_catches("doorbell by exchange", by_exchange, ringers(futex, {1, 2}, any_calls),
                  "nobody wakes owner");
    check_catches("doorbell by exchange", by_exchange, ringers(futex, {1, 1}), "more than one system call");
}

// Before it sleeps in a futex the kernel looks at the count once more, behind a barrier of its own; before it
// sleeps on an eventfd nobody does. So it is the eventfd that needs the owner's half of the order.
TEST_CASE("doorbell: every order that matters is missed when it is weakened") {
    const auto acquire = std::memory_order_acquire, release = std::memory_order_release;
    const Fault count = Fault::weaken("Doorbell::ring", OpKind::add, std::memory_order_acq_rel);
    const Fault look = Fault::weaken("Doorbell::ring", OpKind::load, acquire);
    check_catches("count", count, ringers(futex, {1}), "nobody wakes");
    check_catches("count", count, ringers(eventfd, {1}), "nobody wakes");
    check_catches("look for an ear", look, ringers(futex, {1}), "nobody wakes");
    check_catches("look for an ear", look, ringers(eventfd, {1}), "nobody wakes");
    check_catches("listen", Fault::weaken("Doorbell::listen", OpKind::store, release), ringers(eventfd, {1}),
                  "nobody wakes");
    check_catches("last look", Fault::weaken("Doorbell::listen", OpKind::load, acquire),
                  ringers(eventfd, {1}), "nobody wakes");
    check_catches("work before ring", Fault::weaken("Doorbell::ring", OpKind::add), ringers(futex, {1}),
                  "data race");
    check_catches("hearing", Fault::weaken("Doorbell::take", OpKind::load), ringers(futex, {1}), "data race");
    check_catches("wake", Fault::skip("kernel", OpKind::futex_wake), ringers(futex, {1}), "nobody wakes");
}
