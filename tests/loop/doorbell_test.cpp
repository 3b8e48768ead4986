// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "loop/doorbell.hpp"
#include "seam/driver.h"

#include <atomic>
#include <poll.h>
#include <thread>
#include <unistd.h>

using xtc::Doorbell;

namespace {

bool is_readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
}

} // namespace

TEST_CASE("a doorbell remembers that it was rung, however often, until it is asked") {
    Doorbell bell;
    CHECK(!bell.take());
    bell.ring();
    bell.ring();
    CHECK(bell.take());
    CHECK(!bell.take());
}

TEST_CASE("nobody goes to sleep on a doorbell that was rung since it was asked") {
    Doorbell bell;
    REQUIRE(bell.eventfd() >= 0);
    for (const auto ear : {Doorbell::Ear::futex, Doorbell::Ear::eventfd}) {
        CHECK(bell.listen(ear));
        bell.stop_listening();
        bell.ring();
        CHECK(!bell.listen(ear));
        CHECK(bell.take());
        CHECK(bell.listen(ear));
        bell.stop_listening();
    }
    CHECK(!is_readable(bell.eventfd())); // nobody listened: no system call was needed
}

TEST_CASE("a ring between the last look and the sleep ends the sleep at once") {
    Doorbell bell;
    REQUIRE(bell.listen(Doorbell::Ear::futex));
    bell.ring();
    bell.sleep(XTC_UNTIL_NEVER); // returns
    CHECK(bell.take());
    const int fd = bell.eventfd();
    REQUIRE(bell.listen(Doorbell::Ear::eventfd));
    bell.ring();
    CHECK(is_readable(fd));
    CHECK(bell.is_undrained());
    bell.drain();
    CHECK(!is_readable(fd));
    CHECK(!bell.is_undrained());
}

TEST_CASE("of many rings while one listens, one writes") {
    Doorbell bell;
    const int fd = bell.eventfd();
    REQUIRE(bell.listen(Doorbell::Ear::eventfd));
    for (int i = 0; i < 10; ++i) bell.ring();
    uint64_t writes = 0;
    CHECK(::read(fd, &writes, sizeof(writes)) == sizeof(writes));
    CHECK(writes == 1);
}

TEST_CASE("two threads ring without a pause: whoever sleeps is woken for the last ring", "[threads]") {
    const auto ear = GENERATE(Doorbell::Ear::futex, Doorbell::Ear::eventfd);
    Doorbell bell;
    const int fd = bell.eventfd();
    constexpr uint32_t rings = 50'000;
    std::atomic<uint32_t> sum{0};
    std::atomic<uint32_t> seen_by_owner{0};
    const auto ringer = [&] {
        for (uint32_t i = 0; i < rings; ++i) {
            sum.fetch_add(1, std::memory_order_relaxed);
            bell.ring();
            if (i % 64 == 0) { // now and then the owner has to catch up, so that it does sleep
                const uint32_t wanted = sum.load(std::memory_order_relaxed);
                for (uint32_t now = 0; (now = seen_by_owner.load()) < wanted;) seen_by_owner.wait(now);
            }
        }
    };
    std::thread first(ringer);
    std::thread second(ringer);
    uint32_t lost = 0;
    for (uint32_t seen = 0; seen < 2 * rings;) {
        bool is_late = false;
        if (!bell.take() && bell.listen(ear)) {
            pollfd one{fd, POLLIN, 0};
            if (ear == Doorbell::Ear::futex) bell.sleep(XTC_UNTIL_NEVER); // hangs if one is lost
            else is_late = ::poll(&one, 1, 2'000) != 1;
            bell.stop_listening();
            bell.take();
            bell.drain();
        }
        const uint32_t now_seen = sum.load(std::memory_order_relaxed);
        lost += is_late && now_seen != seen;
        seen = now_seen;
        seen_by_owner.store(seen);
        seen_by_owner.notify_all();
    }
    first.join();
    second.join();
    CHECK(lost == 0);
}
