// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "accel/devices.hpp"
#include "base/cpu.hpp"
#include "batch/placement.hpp"

#include <xtc.h>
#include <xtc_batch.h>
#include <xtc_exec.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

// A machine with two memory nodes, a processor on each, and devices near either.
class TwoNodes {
public:
    TwoNodes() {
        char path[] = "/tmp/xtc-nodes-XXXXXX";
        root_ = ::mkdtemp(path);
        file("sys/devices/system/node/online", "0-1\n");
        std::filesystem::create_directories(root_ / "sys/devices/system/cpu/cpu0/node0");
        std::filesystem::create_directories(root_ / "sys/devices/system/cpu/cpu1/node1");
        file("sys/class/drm/renderD128/device/numa_node", "0\n");
        file("sys/class/drm/renderD129/device/numa_node", "1\n");
        file("sys/class/drm/renderD130/device/numa_node", "-1\n");
        file("sys/class/accel/accel0/device/numa_node", "1\n");
        // A name of the other tree must not be looked up in this one.
        file("sys/class/drm/accel1/device/numa_node", "1\n");
    }
    ~TwoNodes() { std::filesystem::remove_all(root_); }
    TwoNodes(const TwoNodes&) = delete;
    TwoNodes& operator=(const TwoNodes&) = delete;

    // What xtc_batch_loop_for_device does, on this machine; loop i runs on processor cpus[i].
    int loop_near(const char* device, std::initializer_list<int> cpus) const {
        const std::string root = root_.string();
        return xtc::nearest_loop(xtc::device_node(root.c_str(), device), xtc::node_count(root.c_str()),
                                 static_cast<int>(cpus.size()), [&](int i) {
                                     const int cpu = cpus.begin()[i];
                                     return cpu < 0 ? -1 : xtc::node_of_cpu(root.c_str(), cpu);
                                 });
    }
    void file(const char* name, const char* text) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }

private:
    std::filesystem::path root_;
};

xtc_accel_dev_t device_named(const char* name) {
    xtc_accel_dev_t device = {};
    std::strncpy(device.name, name, sizeof(device.name) - 1);
    return device;
}

} // namespace

TEST_CASE("the first loop on the device's node is near, loop 0 if none is") {
    const int nodes[] = {-1, 0, 1, 1};
    const auto node_of = [&nodes](int i) { return nodes[i]; };
    CHECK(xtc::nearest_loop(1, 2, 4, node_of) == 2);
    CHECK(xtc::nearest_loop(0, 2, 4, node_of) == 1);
    CHECK(xtc::nearest_loop(5, 2, 4, node_of) == 0);
    CHECK(xtc::nearest_loop(-1, 2, 4, node_of) == 0);
    CHECK(xtc::nearest_loop(0, 1, 4, node_of) == 0); // one node: nothing to choose
}

TEST_CASE("on a machine with two nodes the loop on the device's node is chosen") {
    const TwoNodes machine;
    CHECK(machine.loop_near("renderD128", {0, 1}) == 0);
    CHECK(machine.loop_near("renderD129", {0, 1}) == 1);
    CHECK(machine.loop_near("accel0", {0, 0, 1, 1}) == 2);
    CHECK(machine.loop_near("renderD128", {1, 1, 0}) == 2);
    CHECK(machine.loop_near("renderD130", {0, 1}) == 0); // the device's node is -1
    CHECK(machine.loop_near("renderD131", {0, 1}) == 0); // not there
    CHECK(machine.loop_near("accel1", {0, 1}) == 0);     // not among the accelerators
    CHECK(machine.loop_near("", {0, 1}) == 0);
    CHECK(machine.loop_near("renderD129", {-1, -1}) == 0); // no loop has run
    CHECK(machine.loop_near("renderD129", {0, 0}) == 0);   // nobody is on that node
    machine.file("sys/devices/system/node/online", "0\n");
    CHECK(machine.loop_near("renderD129", {0, 1}) == 0); // one node only
}

TEST_CASE("on this machine the answer is a loop of the executor, before and after its run") {
    xtc_exec_t* exec = nullptr;
    REQUIRE(xtc_exec_init(&exec, 2) == XTC_OK);
    xtc_accel_dev_t found[8];
    int there = 0;
    CHECK(xtc_accel_probe(found, 8, &there) == XTC_OK);
    const auto ask = [&](const xtc_accel_dev_t& device) {
        int near = -1;
        CHECK(xtc_batch_loop_for_device(exec, &device, &near) == XTC_OK);
        return near;
    };
    for (const bool has_run : {false, true}) {
        for (int i = 0; i < there && i < 8; ++i) {
            CHECK(ask(found[i]) >= 0);
            CHECK(ask(found[i]) < (has_run ? 2 : 1));
        }
        for (const char* name : {"renderD128", "accel0", "renderD99999", "", "no device"}) {
            CHECK(ask(device_named(name)) >= 0);
            CHECK(ask(device_named(name)) < (has_run ? 2 : 1));
        }
        xtc_accel_dev_t full = {};
        std::memset(full.name, 'a', sizeof(full.name)); // not even ended
        CHECK(ask(full) == 0);
        CHECK(xtc_exec_run(exec) == XTC_OK);
    }
    CHECK(xtc_exec_fini(exec) == XTC_OK);
}

TEST_CASE("before the first run every device is nearest to loop 0") {
    xtc_exec_t* exec = nullptr;
    REQUIRE(xtc_exec_init(&exec, 2) == XTC_OK);
    const xtc_accel_dev_t device = device_named("renderD128");
    int near = -1;
    CHECK(xtc_batch_loop_for_device(exec, &device, &near) == XTC_OK);
    CHECK(near == 0);
    near = -1;
    CHECK(xtc_batch_loop_for_device(nullptr, &device, &near) == XTC_E_INVAL);
    CHECK(xtc_batch_loop_for_device(exec, nullptr, &near) == XTC_E_INVAL);
    CHECK(xtc_batch_loop_for_device(exec, &device, nullptr) == XTC_E_INVAL);
    CHECK(near == -1);
    CHECK(xtc_exec_fini(exec) == XTC_OK);
}
