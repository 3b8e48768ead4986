// SPDX-License-Identifier: ISC
//
// xtc-info: what a bug report about libxtc should begin with.
#include "base/env.hpp"

#include <xtc.h>
#include <xtc_io.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <sys/utsname.h>

namespace {

void print_row(const char* name, const char* value) {
    std::printf("  %-28s %s\n", name, value);
}

std::string first_line_of(const char* path) {
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return "(not there)";
    char line[256] = "";
    const char* got = std::fgets(line, sizeof(line), file);
    std::fclose(file);
    if (got == nullptr) return "(empty)";
    line[std::strcspn(line, "\n")] = '\0';
    return line;
}

std::string limit_text(int which) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(which), &limit) != 0) return "(unknown)";
    return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

void print_library() {
    std::printf("libxtc %s\n", xtc_version_string());
    print_row("a new loop would wait in", xtc_io_backend_name());
}

void print_machine() {
    utsname system{};
    std::printf("machine\n");
    if (::uname(&system) == 0)
        print_row("kernel", (std::string(system.sysname) + " " + system.release).c_str());
    print_row("CPUs for this process", std::to_string(xtc_ncpus()).c_str());
    print_row("memory nodes", std::to_string(xtc_numa_nnodes()).c_str());
}

void print_limits() {
    std::printf("limits\n");
    print_row("open files (RLIMIT_NOFILE)", limit_text(RLIMIT_NOFILE).c_str());
    print_row("locked memory, bytes", limit_text(RLIMIT_MEMLOCK).c_str());
    print_row("address space, bytes", limit_text(RLIMIT_AS).c_str());
    print_row("threads (RLIMIT_NPROC)", limit_text(RLIMIT_NPROC).c_str());
    print_row("vm.max_map_count", first_line_of("/proc/sys/vm/max_map_count").c_str());
    print_row("kernel.io_uring_disabled", first_line_of("/proc/sys/kernel/io_uring_disabled").c_str());
}

void print_environment() {
    std::printf("environment\n");
    for (const xtc::EnvVariable& variable : xtc::env_variables) {
        const char* value = xtc_env_get(variable.name);
        std::printf("  %s=%s%s\n      %s; read %s\n", variable.name,
                    value != nullptr ? value : variable.fallback, value != nullptr ? "" : " (default)",
                    variable.meaning, variable.when_read);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        const bool asked = std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0;
        if (asked || std::strcmp(argv[1], "--version") != 0) {
            std::fprintf(asked ? stdout : stderr, "usage: xtc-info [--version]\n");
            return asked ? 0 : 2;
        }
        std::printf("%s\n", xtc_version_string());
        return 0;
    }
    print_library();
    print_machine();
    print_limits();
    print_environment();
    return 0;
}
