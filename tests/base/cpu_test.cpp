// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <catch2/catch.hpp>

#include <sched.h>

TEST_CASE("cpu: the count follows the affinity of the process", "[base][cpu]") {
    cpu_set_t before;
    REQUIRE(::sched_getaffinity(0, sizeof(before), &before) == 0);
    CHECK(xtc_ncpus() == CPU_COUNT(&before));

    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
    CHECK(xtc_ncpus() == 1);
    REQUIRE(::sched_setaffinity(0, sizeof(before), &before) == 0);
}

TEST_CASE("cpu: there is at least one memory node and every CPU has one", "[base][cpu]") {
    CHECK(xtc_numa_nnodes() >= 1);
    CHECK(xtc_numa_node_of_cpu(0) >= 0);
    CHECK(xtc_numa_node_of_cpu(0) < 64);
    CHECK(xtc_numa_current_node() >= 0);
}

TEST_CASE("cpu: a CPU that does not exist belongs to node 0", "[base][cpu]") {
    CHECK(xtc_numa_node_of_cpu(-1) == 0);
    CHECK(xtc_numa_node_of_cpu(1 << 20) == 0);
}
