// SPDX-License-Identifier: ISC
// How work reaches a loop that may be about to sleep: the inbox, the sleep word and a doorbell as its driver,
// put together as Loop::post and Loop::sleep_or_poll do.
#include <catch2/catch.hpp>

#include "loop/doorbell.hpp"
#include "loop/inbox.hpp"
#include "loop/sleep_word.hpp"
#include "models.hpp"
#include "seam/driver.h"

using namespace xtc::model;

namespace {

struct Post : xtc::InboxNode {
    int from = 0;
    int number = 0;
};

struct LoopModel {
    xtc::Inbox inbox;
    xtc::SleepWord sleep;
    xtc::Doorbell bell;            // stands for the driver: wake() rings it
    xtc::atomic<bool> stop{false}; // the executor's
    Post posts[2][3];
    Tally sleeps, driver_wakes;
    int taken[2] = {};
};

void post(LoopModel& l, Post& p) {
    l.inbox.push(p);
    if (!l.sleep.take()) return;
    l.driver_wakes.add();
    l.bell.ring();
}

void take_all(LoopModel& l) {
    for (xtc::InboxNode* node = l.inbox.take_all(); node != nullptr;) {
        Post& p = *static_cast<Post*>(node);
        node = node->next;
        check(p.number == l.taken[p.from], "the posts of a thread are out of order");
        ++l.taken[p.from];
    }
}

void turn(LoopModel& l) {
    l.sleep.end();
    if (l.inbox.looks_empty()) {
        l.sleeps.add();
        if (l.sleep.announce_unless([&l] { return !l.inbox.empty(); }) && !l.bell.take()) {
            if (l.bell.listen(xtc::Doorbell::Ear::futex)) l.bell.sleep(XTC_UNTIL_NEVER);
            l.bell.stop_listening();
            l.bell.take();
        }
        l.sleep.end();
    }
    l.sleep.take_asked();
    take_all(l);
}

// As Exec::stop does it, to a loop whose worker looks for it between turns.
void stop(LoopModel& l) {
    l.stop.store(true, std::memory_order_seq_cst);
    if (l.sleep.ask()) l.bell.ring();
}

Model stopper(bool with_poster) {
    return [with_poster](Scene& scene) {
        LoopModel& l = scene.make<LoopModel>();
        scene.name(l.inbox, {"inbox"});
        scene.name(l.sleep, {"sleep", "asked"});
        scene.name(l.bell, {"bell.count", "bell.listening", "bell.written"});
        scene.name(l.stop, {"stop"});
        scene.thread("loop", [&l] {
            while (!l.stop.load(std::memory_order_seq_cst)) turn(l);
        });
        scene.thread("stopper", [&l] { stop(l); });
        if (with_poster) scene.thread("poster", [&l] { post(l, l.posts[0][0]); });
    };
}

Model posters(std::vector<int> counts) {
    return [counts](Scene& scene) {
        LoopModel& l = scene.make<LoopModel>();
        scene.name(l.inbox, {"inbox"});
        scene.name(l.sleep, {"sleep", "asked"});
        scene.name(l.bell, {"bell.count", "bell.listening", "bell.written"});
        int all = 0;
        for (const int n : counts) all += n;
        scene.thread("loop", [&l, all] {
            while (l.taken[0] + l.taken[1] < all) turn(l);
        });
        for (size_t i = 0; i < counts.size(); ++i) {
            const int n = counts[i];
            for (int k = 0; k < n; ++k) {
                l.posts[i][k].from = static_cast<int>(i);
                l.posts[i][k].number = k;
            }
            scene.thread(i == 0 ? "poster 1" : "poster 2", [&l, i = static_cast<int>(i), n] {
                for (int k = 0; k < n; ++k) post(l, l.posts[i][k]);
            });
        }
        scene.at_end(
            [&l] { check(l.driver_wakes.value() <= l.sleeps.value(), "more than one wake for a sleep"); });
    };
}

} // namespace

TEST_CASE("inbox: no push is slept over, and a sleep costs one wake of the driver") {
    check_holds("inbox, one poster, two posts", posters({2}));
    check_holds("inbox, two posters", posters({1, 1}));
}

// The loop used to take the question back by a plain store when its driver returned. On x86 that store may
// still be on its way out of the processor when the loop looks for a stop: a stop that came between was
// neither seen nor left standing, and an executor that nothing else woke never ended its run.
TEST_CASE("inbox: a stop that is looked for between turns is not slept over") {
    check_holds("sleep word, a stop", stopper(false));
    check_holds("sleep word, a stop and a post", stopper(true));
}

TEST_CASE("inbox: every order that matters is missed when it is weakened") {
    const auto acquire = std::memory_order_acquire, release = std::memory_order_release;
    const auto relaxed = std::memory_order_relaxed;
    const Model one = posters({1});
    check_catches("push", Fault::weaken("Inbox::push", OpKind::weak_cas, std::memory_order_acq_rel), one,
                  "nobody wakes loop");
    check_catches("push, relaxed", Fault::weaken("Inbox::push", OpKind::weak_cas, relaxed), one, "data race");
    check_catches("take", Fault::weaken("Inbox::take_all", OpKind::exchange, relaxed), one, "data race");
    check_catches("last look", Fault::weaken("Inbox::empty", OpKind::load, acquire), one,
                  "nobody wakes loop");
    check_catches("look at the sleep word", Fault::weaken("SleepWord::take", OpKind::load, acquire), one,
                  "nobody wakes loop");
    check_catches("going to sleep", Fault::weaken("SleepWord::announce", OpKind::store, release), one,
                  "nobody wakes loop");
    check_catches("going to sleep unsaid", Fault::skip("SleepWord::announce", OpKind::store), one,
                  "nobody wakes loop");
    check_catches("taking back a question", Fault::weaken("SleepWord::take_asked", OpKind::exchange),
                  stopper(true), "nobody wakes loop");
    check_catches("asking", Fault::weaken("SleepWord::ask", OpKind::store, release), stopper(false),
                  "nobody wakes loop");
    check_catches("taking any sleep", Fault::blind("SleepWord::take"), posters({1, 1}), "more than one wake");
}
