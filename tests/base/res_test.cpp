// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <xtc_res.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

namespace {

xtc_res_t with_cap(int64_t mem_bytes) {
    xtc_res_t res;
    const xtc_res_caps_t caps = {0, 0, 0, 0, mem_bytes, 0};
    CHECK(xtc_res_init(&res, &caps) == XTC_OK);
    return res;
}

struct Alerts {
    int count = 0;
    int64_t used = 0, cap = 0;
    static void on_alert(xtc_res_kind_t kind, int64_t used, int64_t cap, void* user) {
        auto* self = static_cast<Alerts*>(user);
        self->count += kind == XTC_RES_MEM_BYTES ? 1 : 1000;
        self->used = used;
        self->cap = cap;
    }
};

} // namespace

TEST_CASE("the default caps leave tasks uncapped and bound the rest") {
    xtc_res_t res;
    REQUIRE(xtc_res_init(&res, nullptr) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_TASKS, 10'000'000) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_FDS, 65536) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_FDS, 1) == XTC_E_RESOURCE);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, (int64_t{1} << 30) + 1) == XTC_E_RESOURCE);
}

TEST_CASE("a cap is all or none, and refusals and the high-water mark are counted") {
    xtc_res_t res = with_cap(100);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 70) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 31) == XTC_E_RESOURCE);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == 70);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 30) == XTC_OK);
    xtc_res_release(&res, XTC_RES_MEM_BYTES, 60);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == 40);
    CHECK(xtc_res_high(&res, XTC_RES_MEM_BYTES) == 100);
    CHECK(xtc_res_rejects(&res, XTC_RES_MEM_BYTES) == 1);
    CHECK(xtc_res_rejects(&res, XTC_RES_FDS) == 0);
}

TEST_CASE("release stops at zero") {
    xtc_res_t res = with_cap(10);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 4) == XTC_OK);
    xtc_res_release(&res, XTC_RES_MEM_BYTES, 5);
    xtc_res_release(&res, XTC_RES_MEM_BYTES, INT64_MAX);
    xtc_res_release(&res, XTC_RES_MEM_BYTES, -3);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == 0);
}

TEST_CASE("a sum that would overflow is refused, capped or not") {
    xtc_res_t res = with_cap(0);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, INT64_MAX) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 1) == XTC_E_RESOURCE);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, INT64_MAX) == XTC_E_RESOURCE);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == INT64_MAX);
}

TEST_CASE("negative caps and unknown kinds are refused") {
    xtc_res_t res = with_cap(10);
    const xtc_res_caps_t negative = {0, 0, 0, 0, -1, 0};
    CHECK(xtc_res_init(&res, &negative) == XTC_E_INVAL);
    CHECK(xtc_res_init(nullptr, nullptr) == XTC_E_INVAL);
    xtc_res_set_cap(&res, XTC_RES_MEM_BYTES, -1);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 11) == XTC_E_RESOURCE);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, -1) == XTC_E_INVAL);
    CHECK(xtc_res_acquire(&res, XTC_RES__COUNT, 1) == XTC_E_INVAL);
    CHECK(xtc_res_acquire(nullptr, XTC_RES_FDS, 1) == XTC_E_INVAL);
    CHECK(xtc_res_used(&res, XTC_RES__COUNT) == 0);
    CHECK(xtc_res_used(nullptr, XTC_RES_FDS) == 0);
}

TEST_CASE("a cap lowered below what is taken refuses more and takes nothing away") {
    xtc_res_t res = with_cap(0);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 50) == XTC_OK);
    xtc_res_set_cap(&res, XTC_RES_MEM_BYTES, 10);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == 50);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 1) == XTC_E_RESOURCE);
    xtc_res_set_cap(&res, XTC_RES_MEM_BYTES, 0);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 1) == XTC_OK);
}

TEST_CASE("the alert fires once for each upward crossing") {
    xtc_res_t res = with_cap(100);
    Alerts alerts;
    REQUIRE(xtc_res_set_alert(&res, XTC_RES_MEM_BYTES, 0.8) == XTC_OK);
    REQUIRE(xtc_res_set_alert_fn(&res, Alerts::on_alert, &alerts) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 79) == XTC_OK);
    CHECK(alerts.count == 0);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 2) == XTC_OK);
    CHECK(alerts.count == 1);
    CHECK(alerts.used == 81);
    CHECK(alerts.cap == 100);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 5) == XTC_OK);
    CHECK(alerts.count == 1);
    xtc_res_release(&res, XTC_RES_MEM_BYTES, 20);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 20) == XTC_OK);
    CHECK(alerts.count == 2);
}

TEST_CASE("an alert set while use is above it fires at the next acquire") {
    xtc_res_t res = with_cap(100);
    Alerts alerts;
    REQUIRE(xtc_res_set_alert_fn(&res, Alerts::on_alert, &alerts) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 90) == XTC_OK);
    REQUIRE(xtc_res_set_alert(&res, XTC_RES_MEM_BYTES, 0.5) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 1) == XTC_OK);
    CHECK(xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 1) == XTC_OK);
    CHECK(alerts.count == 1);
}

TEST_CASE("an alert lies strictly between nothing and everything") {
    xtc_res_t res = with_cap(100);
    CHECK(xtc_res_set_alert(&res, XTC_RES_MEM_BYTES, 0.0) == XTC_E_INVAL);
    CHECK(xtc_res_set_alert(&res, XTC_RES_MEM_BYTES, 1.0) == XTC_E_INVAL);
    CHECK(xtc_res_set_alert(&res, XTC_RES_MEM_BYTES, NAN) == XTC_E_INVAL);
    CHECK(xtc_res_set_alert(&res, XTC_RES__COUNT, 0.5) == XTC_E_INVAL);
    CHECK(xtc_res_set_alert(nullptr, XTC_RES_FDS, 0.5) == XTC_E_INVAL);
    CHECK(xtc_res_set_alert_fn(nullptr, nullptr, nullptr) == XTC_E_INVAL);
}

TEST_CASE("threads that acquire and release never pass the cap and leave nothing behind", "[threads]") {
    xtc_res_t res = with_cap(8);
    std::atomic<int64_t> taken{0}, most{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                if (xtc_res_acquire(&res, XTC_RES_MEM_BYTES, 3) != XTC_OK) {
                    ++refused;
                    continue;
                }
                const int64_t now = taken += 3;
                int64_t seen = most.load();
                while (seen < now && !most.compare_exchange_weak(seen, now))
                    ;
                taken -= 3;
                xtc_res_release(&res, XTC_RES_MEM_BYTES, 3);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(most.load() <= 8);
    CHECK(xtc_res_used(&res, XTC_RES_MEM_BYTES) == 0);
    CHECK(xtc_res_rejects(&res, XTC_RES_MEM_BYTES) == refused.load());
    CHECK(xtc_res_high(&res, XTC_RES_MEM_BYTES) <= 8);
}
