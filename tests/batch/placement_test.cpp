// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "batch/placement.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

struct FakeSysfs {
    std::string root;
    FakeSysfs() {
        char name[] = "/tmp/xtc-sysfs-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        root = name;
    }
    ~FakeSysfs() { std::filesystem::remove_all(root); }
    void add(const std::string& device, const std::string& node) const {
        const std::string folder = root + "/class/" + device + "/device";
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/numa_node") << node;
    }
    int node_of(const char* name) const {
        xtc_accel_dev_t device = {};
        std::memcpy(device.name, name, std::min(std::strlen(name), sizeof(device.name)));
        return xtc::numa_node_of_device(root.c_str(), device);
    }
};

} // namespace

TEST_CASE("the node of a render node or accelerator is what the kernel says") {
    FakeSysfs sysfs;
    sysfs.add("drm/renderD128", "1\n");
    sysfs.add("accel/accel0", "3\n");
    CHECK(sysfs.node_of("renderD128") == 1);
    CHECK(sysfs.node_of("accel0") == 3);
}

TEST_CASE("an unknown device, node or name is no node") {
    FakeSysfs sysfs;
    sysfs.add("drm/renderD128", "-1\n");
    sysfs.add("drm/renderD129", "many\n");
    sysfs.add("drm/renderD130", "");
    sysfs.add("drm/card0", "1\n");
    for (const char* name : {"renderD128", "renderD129", "renderD130", "renderD131", "card0", "",
                             "renderD/../renderD128", "accel12345678901234567890123456789"})
        CHECK(sysfs.node_of(name) == -1);
}

TEST_CASE("the first loop on the device's node is near, loop 0 if none is") {
    const int nodes[] = {-1, 0, 1, 1};
    CHECK(xtc::nearest_loop(1, nodes, 4) == 2);
    CHECK(xtc::nearest_loop(0, nodes, 4) == 1);
    CHECK(xtc::nearest_loop(5, nodes, 4) == 0);
    CHECK(xtc::nearest_loop(-1, nodes, 4) == 0);
}
