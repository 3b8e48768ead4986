// SPDX-License-Identifier: ISC
#include "batch/placement.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xtc {

namespace {

bool starts_with(const char* text, const char* prefix) {
    return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

// "drm" or "accel"; nullptr for a name that is no device's.
const char* class_of(const char* name) {
    if (std::strchr(name, '/') != nullptr) return nullptr;
    if (starts_with(name, "renderD")) return "drm";
    return starts_with(name, "accel") ? "accel" : nullptr;
}

int read_number(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    char text[16] = {};
    const ssize_t n = ::read(fd, text, sizeof(text) - 1);
    ::close(fd);
    if (n <= 0) return -1;
    char* end;
    const long value = std::strtol(text, &end, 10);
    return end != text && value >= 0 && value < 1 << 16 ? static_cast<int>(value) : -1;
}

} // namespace

int numa_node_of_device(const char* sysfs, const xtc_accel_dev_t& device) {
    char name[sizeof(device.name) + 1] = {};
    std::memcpy(name, device.name, sizeof(device.name));
    const char* device_class = class_of(name);
    if (device_class == nullptr) return -1;
    char path[256];
    const int length =
        std::snprintf(path, sizeof(path), "%s/class/%s/%s/device/numa_node", sysfs, device_class, name);
    return length > 0 && static_cast<size_t>(length) < sizeof(path) ? read_number(path) : -1;
}

int nearest_loop(int device_node, const int* node_of_loop, int n_loops) {
    if (device_node < 0) return 0;
    for (int i = 0; i < n_loops; ++i)
        if (node_of_loop[i] == device_node) return i;
    return 0;
}

} // namespace xtc
