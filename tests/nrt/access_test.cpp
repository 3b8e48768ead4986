// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "nrt/access.hpp"
#include "support/loops.hpp"
#include "xtc.h"

using namespace xtc::nrt;
using namespace xtc::test;
using Kind = Access::Kind;

TEST_CASE("Readers are in the way of a write, writers of both", "[nrt][access]") {
    Access access;
    CHECK(access.is_free_to(Kind::write));
    access.begin(Kind::read);
    CHECK(access.is_free_to(Kind::read));
    CHECK_FALSE(access.is_free_to(Kind::write));
    access.begin(Kind::write);
    CHECK_FALSE(access.is_free_to(Kind::read));
    access.end(Kind::read);
    CHECK_FALSE(access.is_free_to(Kind::write));
    access.end(Kind::write);
    CHECK(access.is_free_to(Kind::write));
}

TEST_CASE("A fiber that wants to read waits for the last of the queued writers", "[nrt][access]") {
    Access access;
    std::vector<int> order;
    access.begin(Kind::write);
    access.begin(Kind::write);
    TestLoop loop;
    loop.proc([&] {
        CHECK(access.wait_to(Kind::read) == XTC_OK);
        order.push_back(3);
    });
    loop.proc([&] {
        order.push_back(1);
        access.end(Kind::write);
        xtc_yield();
        xtc_yield();
        order.push_back(2);
        access.end(Kind::write);
    });
    loop.run();
    CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("A thread that wants to write waits for readers on other threads", "[nrt][access][threads]") {
    Access access;
    std::atomic<int> done{0};
    constexpr int kReaders = 3;
    for (int i = 0; i < kReaders; ++i) access.begin(Kind::read);
    std::vector<std::thread> readers;
    for (int i = 0; i < kReaders; ++i)
        readers.emplace_back([&] {
            ++done;
            access.end(Kind::read);
        });
    const int rc = access.wait_to(Kind::write);
    const int seen = done.load();
    for (auto& reader : readers) reader.join();
    CHECK(rc == XTC_OK);
    CHECK(seen == kReaders);
}
