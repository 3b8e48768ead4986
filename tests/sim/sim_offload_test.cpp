// SPDX-License-Identifier: ISC
#include "sim_offload.hpp"

#include <catch2/catch.hpp>

#include "xtc.h"

using namespace xtc::sim;

namespace {

struct Bench {
    Knobs knobs;
    Timeline timeline{0};
    Streams streams{1};
    Trace trace;
    SimOffload offload{timeline, streams, trace, knobs};
    const xtc_seam_offload_t& table = SimOffload::table;
    int ran = 0, told = 0;
    xtc_offload_job_t job{};

    Bench() {
        knobs.offload_delay = {100, 100};
        knobs.offload_time = {50, 50};
        job.fn = [](void* self) { return ++static_cast<Bench*>(self)->ran; };
        job.arg = this;
        job.done = [](xtc_offload_job_t* done) { static_cast<Bench*>(done->owner)->told++; };
        job.owner = this;
    }
    void until(int64_t time) {
        timeline.advance_to(time);
        timeline.run_due();
    }
};

} // namespace

TEST_CASE("sim offload: the closure runs at its time and its end is told later, once") {
    Bench bench;
    CHECK(bench.table.submit(&bench.offload, &bench.job) == XTC_OK);
    bench.until(99);
    CHECK(bench.ran == 0);
    bench.until(100);
    CHECK(bench.ran == 1);
    CHECK(bench.told == 0);
    CHECK(bench.offload.pending() == 1);
    bench.until(150);
    CHECK(bench.told == 1);
    CHECK(bench.job.result == 1);
    CHECK(bench.offload.pending() == 0);
    bench.until(10'000);
    CHECK(bench.ran == 1);
    CHECK(bench.told == 1);
}

TEST_CASE("sim offload: a job that has not begun is taken back, and is not told") {
    Bench bench;
    CHECK(bench.table.submit(&bench.offload, &bench.job) == XTC_OK);
    CHECK(bench.table.revoke(&bench.offload, &bench.job) == 1);
    bench.until(1000);
    CHECK(bench.ran == 0);
    CHECK(bench.told == 0);
    CHECK(bench.offload.pending() == 0);
}

TEST_CASE("sim offload: a job that has begun is not taken back, but told at once, since its owner will block "
          "for it") {
    Bench bench;
    CHECK(bench.table.submit(&bench.offload, &bench.job) == XTC_OK);
    bench.until(100);
    CHECK(bench.table.revoke(&bench.offload, &bench.job) == 0);
    CHECK(bench.ran == 1);
    CHECK(bench.told == 1);
    CHECK(bench.table.revoke(&bench.offload, &bench.job) == 0);
    bench.until(1000);
    CHECK(bench.told == 1);
    CHECK(bench.offload.pending() == 0);
}

TEST_CASE("sim offload: a refused job neither runs nor is told") {
    Bench bench;
    bench.knobs.offload_refused = {1, 1};
    CHECK(bench.table.submit(&bench.offload, &bench.job) == XTC_E_RESOURCE);
    bench.until(10'000);
    CHECK(bench.ran == 0);
    CHECK(bench.told == 0);
}
