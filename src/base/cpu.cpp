// SPDX-License-Identifier: ISC
//
// How many CPUs and memory nodes this process has, as the kernel tells it.
#include "base/cpu.hpp"

#include <xtc.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <unistd.h>

namespace {

// Reads a small file of /sys into `buffer`; empty when it cannot be read.
std::string_view read_small(const char* path, char* buffer, size_t cap) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    const ssize_t got = ::read(fd, buffer, cap);
    ::close(fd);
    return got > 0 ? std::string_view(buffer, static_cast<size_t>(got)) : std::string_view();
}

// Counts the members of a list like "0-3,8,10-11"; 0 when it is not one.
int count_listed(std::string_view list) {
    int count = 0;
    const char* at = list.data();
    const char* end = at + list.size();
    while (at < end) {
        int first = 0;
        const auto from = std::from_chars(at, end, first);
        if (from.ec != std::errc()) break;
        int last = first;
        at = from.ptr;
        if (at < end && *at == '-') {
            const auto to = std::from_chars(at + 1, end, last);
            if (to.ec != std::errc()) break;
            at = to.ptr;
        }
        if (last >= first) count += last - first + 1;
        if (at == end || *at != ',') break;
        ++at;
    }
    return count;
}

// Sysfs links a CPU's folder to its node by an entry named node<N>.
int node_entry(DIR* folder) {
    while (const dirent* entry = ::readdir(folder)) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with("node")) continue;
        int node = 0;
        const auto parsed = std::from_chars(name.data() + 4, name.data() + name.size(), node);
        if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) return node;
    }
    return 0;
}

} // namespace

int xtc_ncpus(void) {
    // What this process may run on, which in a container is less than what the machine has. A machine with
    // more CPUs than a cpu_set_t answers an error, and then all that are online count.
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
    const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

namespace xtc {

int node_count(const char* root) {
    char path[512], buffer[256];
    std::snprintf(path, sizeof(path), "%s/sys/devices/system/node/online", root);
    const int nodes = count_listed(read_small(path, buffer, sizeof(buffer)));
    return nodes > 0 ? nodes : 1;
}

int node_of_cpu(const char* root, int cpu) {
    if (cpu < 0) return 0;
    char path[512];
    std::snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d", root, cpu);
    DIR* folder = ::opendir(path);
    if (folder == nullptr) return 0;
    const int node = node_entry(folder);
    ::closedir(folder);
    return node;
}

} // namespace xtc

int xtc_numa_nnodes(void) {
    return xtc::node_count("");
}

int xtc_numa_node_of_cpu(int cpu) {
    return xtc::node_of_cpu("", cpu);
}

int xtc_numa_current_node(void) {
    unsigned cpu = 0;
    unsigned node = 0;
    return ::getcpu(&cpu, &node) == 0 ? static_cast<int>(node) : 0;
}
