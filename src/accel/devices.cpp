// SPDX-License-Identifier: ISC
#include "accel/devices.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "xtc.h"

namespace xtc {
namespace {

struct Tree {
    xtc_accel_kind_t kind;
    const char* dev;    // folder of device files
    const char* sysfs;  // folder of what is known about them
    const char* prefix; // of their names, before a number
};

constexpr Tree kTrees[] = {
    {XTC_ACCEL_KIND_GPU, "/dev/dri", "/sys/class/drm", "renderD"},
    {XTC_ACCEL_KIND_NPU, "/dev/accel", "/sys/class/accel", "accel"},
};

// The number behind the prefix; -1: another kind of name.
long number_of(const char* name, const char* prefix) {
    const size_t n = std::strlen(prefix);
    if (std::strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9') return -1;
    char* end = nullptr;
    const long number = std::strtol(name + n, &end, 10);
    return *end == '\0' ? number : -1;
}

std::vector<std::string> names_in(const std::string& folder, const char* prefix) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()), closedir);
    if (!dir) return names;
    while (const dirent* e = readdir(dir.get()))
        if (number_of(e->d_name, prefix) >= 0 && std::strlen(e->d_name) < sizeof xtc_accel_dev_t::name)
            names.emplace_back(e->d_name);
    std::sort(names.begin(), names.end(), [prefix](const std::string& a, const std::string& b) {
        return number_of(a.c_str(), prefix) < number_of(b.c_str(), prefix);
    });
    return names;
}

// The last part of where a link points to; "" when there is no link.
std::string link_name(const std::string& path) {
    char target[512];
    const ssize_t n = readlink(path.c_str(), target, sizeof target - 1);
    if (n <= 0) return "";
    std::string text(target, static_cast<size_t>(n));
    return text.substr(text.rfind('/') + 1);
}

} // namespace

std::vector<xtc_accel_dev_t> find_devices(const char* root) {
    std::vector<xtc_accel_dev_t> found;
    for (const Tree& tree : kTrees) {
        for (const std::string& name : names_in(std::string(root) + tree.dev, tree.prefix)) {
            xtc_accel_dev_t dev{};
            dev.kind = tree.kind;
            xtc_strlcpy(dev.name, name.c_str(), sizeof dev.name);
            xtc_strlcpy(dev.node, (std::string(tree.dev) + "/" + name).c_str(), sizeof dev.node);
            const std::string driver =
                link_name(std::string(root) + tree.sysfs + "/" + name + "/device/driver");
            xtc_strlcpy(dev.driver, driver.c_str(), sizeof dev.driver);
            found.push_back(dev);
        }
    }
    return found;
}

int device_node(const char* root, const char* name) {
    for (const Tree& tree : kTrees) {
        if (number_of(name, tree.prefix) < 0) continue;
        const std::string path = std::string(root) + tree.sysfs + "/" + name + "/device/numa_node";
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return -1;
        char text[32] = {};
        const ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        return n > 0 ? std::atoi(text) : -1;
    }
    return -1;
}

} // namespace xtc
