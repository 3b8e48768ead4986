// SPDX-License-Identifier: ISC
//
// Random model packages for some time. A crash or a complaint names the seed that brings it back.
#include "nrt_package_fuzz.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t seeds_a_look = 256; // between two looks at the clock

struct Options {
    double seconds = 3600;
    uint64_t seed = 0;
    bool one = false;
};

[[noreturn]] void usage(int status) {
    std::fprintf(status == 0 ? stdout : stderr,
                 "usage: soak-nrt-package [--seconds N] [--from SEED] | --seed SEED\n"
                 "  --seconds N   how long (3600)\n"
                 "  --from SEED   the first of the seeds that are gone through (the time of day)\n"
                 "  --seed SEED   only this one\n");
    std::exit(status);
}

Options parse(int argc, char** argv) {
    Options options;
    options.seed = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--help") usage(0);
        if (i + 1 == argc) usage(2);
        char* end = nullptr;
        if (name == "--seconds") {
            options.seconds = std::strtod(argv[i + 1], &end);
        } else if (name == "--from" || name == "--seed") {
            options.seed = std::strtoull(argv[i + 1], &end, 10);
            options.one = name == "--seed";
        } else {
            usage(2);
        }
        if (*end != '\0' || end == argv[i + 1] || !(options.seconds >= 0)) usage(2);
    }
    return options;
}

bool check(uint64_t seed, fuzz::Tally& tally) {
    const std::string wrong = fuzz::fuzz_package(seed, tally);
    if (wrong.empty()) return true;
    std::printf("FAILED: %s; replay with --seed %llu\n", wrong.c_str(),
                static_cast<unsigned long long>(seed));
    return false;
}

} // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    fuzz::Tally tally;
    if (options.one) {
        if (!check(options.seed, tally)) return 1;
        std::printf("%s\n", tally.accepted > 0 ? "accepted" : "refused");
        return 0;
    }
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    uint64_t seed = options.seed;
    auto next_word = Clock::now();
    while (Clock::now() < end) {
        // Said before they are gone through, so that a crash leaves behind where to look.
        if (Clock::now() >= next_word) {
            std::printf("from seed %llu\n", static_cast<unsigned long long>(seed));
            std::fflush(stdout);
            next_word += std::chrono::minutes(1);
        }
        for (uint64_t i = 0; i < seeds_a_look; ++i, ++seed)
            if (!check(seed, tally)) return 1;
    }
    std::printf("%llu packages: %llu accepted, %llu refused, nothing wrong\n",
                static_cast<unsigned long long>(seed - options.seed),
                static_cast<unsigned long long>(tally.accepted),
                static_cast<unsigned long long>(tally.refused));
    return tally.accepted > 0 && tally.refused > 0 ? 0 : 1;
}
