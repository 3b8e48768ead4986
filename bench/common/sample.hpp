// SPDX-License-Identifier: ISC
// What every benchmark program has in common: options, a clock, and the one JSON line it prints.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

namespace bench {

inline std::int64_t now_ns() {
    timespec ts{};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

// "--key value" pairs; whoever runs these programs is bench/run.py, so anything else is a mistake.
class Options {
public:
    Options(int argc, char** argv) {
        for (int i = 1; i < argc; i += 2) {
            if (std::strncmp(argv[i], "--", 2) != 0 || i + 1 >= argc) {
                std::fprintf(stderr, "%s: expected --key value, got '%s'\n", argv[0], argv[i]);
                std::exit(2);
            }
            values_[argv[i] + 2] = argv[i + 1];
        }
    }
    std::string text(const std::string& key, const std::string& fallback) const {
        auto it = values_.find(key);
        return it == values_.end() ? fallback : it->second;
    }
    std::uint64_t number(const std::string& key, std::uint64_t fallback) const {
        auto it = values_.find(key);
        return it == values_.end() ? fallback : std::strtoull(it->second.c_str(), nullptr, 10);
    }

private:
    std::map<std::string, std::string> values_;
};

struct Sample {
    std::string name, side, variant, unit;
    double value = 0;
    std::uint64_t work = 0, checksum = 0;
    std::vector<std::pair<std::string, double>> also{};
};

inline void print(const Sample& s) {
    std::printf("{\"name\":\"%s\",\"side\":\"%s\",\"variant\":\"%s\",\"value\":%.6g,\"unit\":\"%s\","
                "\"work\":%" PRIu64 ",\"checksum\":\"%" PRIu64 "\",\"also\":{",
                s.name.c_str(), s.side.c_str(), s.variant.c_str(), s.value, s.unit.c_str(), s.work,
                s.checksum);
    const char* comma = "";
    for (const auto& [key, value] : s.also) {
        std::printf("%s\"%s\":%.6g", comma, key.c_str(), value);
        comma = ",";
    }
    std::printf("}}\n");
    std::fflush(stdout);
}

[[noreturn]] inline void fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

inline void need(bool ok, const char* what) {
    if (!ok) fail(std::string(what) + ": " + std::strerror(errno));
}

inline void pin_thread(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// The first `n` CPUs this process may use, repeated when there are fewer.
inline std::vector<int> some_cpus(int n) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> have, out;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &set)) have.push_back(i);
    for (int i = 0; i < n; ++i)
        out.push_back(have.empty() ? 0 : have[static_cast<std::size_t>(i) % have.size()]);
    return out;
}

inline void need_descriptors(std::uint64_t n) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= n) return;
    limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < n)
        fail("needs " + std::to_string(n) + " descriptors, the limit is " + std::to_string(limit.rlim_max));
}

// A field of /proc/self/status, in bytes (the kernel gives kB).
inline std::uint64_t memory_field(const char* field) {
    std::FILE* f = std::fopen("/proc/self/status", "re");
    if (!f) return 0;
    char line[256];
    std::uint64_t kb = 0;
    const std::size_t len = std::strlen(field);
    while (std::fgets(line, sizeof line, f))
        if (std::strncmp(line, field, len) == 0 && line[len] == ':')
            kb = std::strtoull(line + len + 1, nullptr, 10);
    std::fclose(f);
    return kb * 1024;
}

} // namespace bench
