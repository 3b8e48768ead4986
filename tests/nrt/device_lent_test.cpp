// SPDX-License-Identifier: ISC
#include "nrt/device_lent.hpp"

#include <catch2/catch.hpp>

#include "nrt/execution.hpp"
#include "support/loops.hpp"

using namespace xtc::nrt;
using namespace xtc::test;

namespace {

// An Offload that keeps the one job it is given, or refuses it.
struct Desk {
    bool refuses = false;
    xtc_offload_job_t* job = nullptr;

    int submit(xtc_offload_job_t* given) {
        if (refuses) return XTC_E_RESOURCE;
        job = given;
        return XTC_OK;
    }
};

constexpr xtc_seam_offload_t table{
    sizeof(xtc_seam_offload_t),
    [](void* desk, xtc_offload_job_t* job) { return static_cast<Desk*>(desk)->submit(job); },
    [](void*, xtc_offload_job_t*) { return 0; },
};

} // namespace

TEST_CASE("Where the executor takes no closure an execution ends with NRT_RESOURCE", "[nrt][device]") {
    Desk desk{true};
    DeviceLent device(&table, &desk);
    Execution execution;
    Outcome outcome;
    TestLoop loop;
    loop.proc([&] { outcome = device.run(execution); });
    loop.run();
    CHECK(outcome.status == Status::resource);
    CHECK_FALSE(outcome.is_fatal);
}

TEST_CASE("A kernel that was ended before it began never begins", "[nrt][device]") {
    Desk desk;
    DeviceLent device(&table, &desk);
    Execution execution; // of no model: it could not run
    bool came_back = false;
    TestLoop loop;
    loop.proc([&] {
        device.run(execution);
        came_back = true;
    });
    while (desk.job == nullptr) xtc_loop_step(loop, 0);
    Outcome outcome;
    CHECK_FALSE(device.end_early(&outcome));
    CHECK(desk.job->fn(desk.job->arg) == 0);
    desk.job->done(desk.job);
    loop.run();
    CHECK(came_back);
}
